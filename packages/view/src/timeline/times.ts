/** A time in the unit that fits it: `1.204 ms`. */
export function timeWords(ns: number): string {
  const size = Math.abs(ns);
  if (size < 1e3) return `${Math.round(ns)} ns`;
  if (size < 1e6) return `${short(ns / 1e3)} µs`;
  if (size < 1e9) return `${short(ns / 1e6)} ms`;
  return `${short(ns / 1e9)} s`;
}

function short(value: number): string {
  return Number(value.toPrecision(5)).toLocaleString('en', { maximumFractionDigits: 3 });
}

/** Round steps of an axis: at most `most` of them in a stretch. */
export function stepOf(length: number, most: number): number {
  const raw = length / most;
  const power = 10 ** Math.floor(Math.log10(raw));
  for (const factor of [1, 2, 5, 10]) if (power * factor >= raw) return power * factor;
  return power * 10;
}
