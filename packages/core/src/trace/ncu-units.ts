import type { NcuMetricRow } from '../knowledge/ncu.types.ts';

const times: Readonly<Record<string, number>> = {
  ns: 1,
  nsecond: 1,
  nanosecond: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  usecond: 1e3,
  microsecond: 1e3,
  ms: 1e6,
  msecond: 1e6,
  millisecond: 1e6,
  s: 1e9,
  second: 1e9,
};
const bytes: Readonly<Record<string, number>> = {
  byte: 1,
  b: 1,
  kbyte: 1e3,
  mbyte: 1e6,
  gbyte: 1e9,
  tbyte: 1e12,
  kibyte: 1024,
  mibyte: 1024 ** 2,
  gibyte: 1024 ** 3,
};

/** The value in the unit of the metric's row; null where the printed unit is another kind. */
export function inUnit(row: NcuMetricRow, value: number, unit: string): number | null {
  const printed = unit.trim().toLowerCase();
  switch (row.unit) {
    case 'ns':
      // Raw values without a unit are nanoseconds.
      return printed === '' ? value : scaled(value, times[printed]);
    case 'byte':
      return printed === '' ? value : scaled(value, bytes[printed.split('/')[0]!]);
    case 'byte/s':
      return scaled(value, bytes[printed.split('/')[0]!]);
    case '%':
      // `Memory Throughput` is a share in one section and a rate in another.
      return printed === '' || printed === '%' ? (value <= 1000 ? value : null) : null;
    case 'count':
    case 'threads':
    case 'warps':
    case 'blocks':
    case 'ratio':
      if (printed === '%') return null;
      return value * (/^k(?!b)/.test(printed) ? 1e3 : /^m(?!b)/.test(printed) ? 1e6 : 1);
  }
}

function scaled(value: number, factor: number | undefined): number | null {
  return factor === undefined ? null : value * factor;
}
