/** Thousands in groups with commas; in groups with dots, where there are two of them at least; a comma before decimals. */
const grouped = /^[+-]?\d{1,3}(?:,\d{2,3}){0,6},\d{3}(?:\.\d{1,20})?$/;
const dotted = /^[+-]?\d{1,3}(?:\.\d{3}){2,6}(?:,\d{1,20})?$/;
const decimal = /^[+-]?\d{1,20},\d{1,20}$/;

function inPlainSigns(text: string): string {
  if (grouped.test(text)) return text.replaceAll(',', '');
  if (dotted.test(text)) return text.replaceAll('.', '').replace(',', '.');
  return decimal.test(text) ? text.replace(',', '.') : text;
}

/** A number as the tool prints it, with or without commas between the thousands, or as a table of another locale has it. */
export function statNumber(cell: string | undefined): number | null {
  if (cell === undefined) return null;
  const text = inPlainSigns(cell.trim());
  if (!/^[+-]?\d{1,20}(?:\.\d{1,20})?(?:[eE][+-]?\d{1,3})?$/.test(text)) return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}

const times: Readonly<Record<string, number>> = {
  ns: 1,
  nsec: 1,
  nanoseconds: 1,
  us: 1e3,
  usec: 1e3,
  μs: 1e3,
  µs: 1e3,
  microseconds: 1e3,
  ms: 1e6,
  msec: 1e6,
  milliseconds: 1e6,
  s: 1e9,
  sec: 1e9,
  seconds: 1e9,
};

/** Nanoseconds of a unit of time; 1 where none is told: the tool's own is nanoseconds. */
export function nanosecondsOf(unit: string | null): number {
  return unit === null ? 1 : (times[unit] ?? 1);
}

const sizes: Readonly<Record<string, number>> = {
  b: 1,
  bytes: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
};

/** Bytes of a unit of size; megabytes of 10^6 where none is told, as the tool has it. */
export function bytesOf(unit: string | null): number {
  return unit === null ? 1e6 : (sizes[unit] ?? 1e6);
}

/** A number with its unit behind it, as `nvprof` prints them: `12.345us`, `4.0000KB`. */
const withUnit = /^([+-]?\d{1,20}(?:\.\d{1,20})?(?:e[+-]?\d{1,3})?)\s?(ns|us|µs|μs|ms|s|B|KB|MB|GB|TB)$/;

/** Units of `nvprof`, which counts sizes by 1024. */
const binary: Readonly<Record<string, number>> = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3, TB: 1024 ** 4 };

/** Nanoseconds of a cell: a number in the unit of its column, or one with its own unit; null for anything else. */
export function timeOfCell(cell: string | undefined, unit: string | null): number | null {
  const plain = statNumber(cell);
  if (plain !== null) return plain * nanosecondsOf(unit);
  const own = withUnit.exec(cell?.trim() ?? '');
  return own === null || binary[own[2]!] !== undefined ? null : Number(own[1]) * nanosecondsOf(own[2]!);
}

/** Bytes of a cell, likewise. */
export function sizeOfCell(cell: string | undefined, unit: string | null): number | null {
  const plain = statNumber(cell);
  if (plain !== null) return Math.round(plain * bytesOf(unit));
  const own = withUnit.exec(cell?.trim() ?? '');
  const factor = own === null ? undefined : binary[own[2]!];
  return factor === undefined ? null : Math.round(Number(own![1]) * factor);
}
