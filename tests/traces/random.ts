/** Numbers that a seed decides. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** In [low, high). */
  real(low: number, high: number): number;
  /** A whole number in [low, high]. */
  whole(low: number, high: number): number;
  /** Around a median, with a factor of about `spread` either way. */
  around(median: number, spread: number): number;
  chance(part: number): boolean;
  pick<T>(of: readonly T[]): T;
}

/** A generator of its own for each purpose, so that a change of one does not move the others. */
export function randomOf(seed: number, purpose: string): Random {
  let state = seed * 0x9e3779b1;
  for (const char of purpose) state = Math.imul(state ^ char.charCodeAt(0), 0x85ebca6b) ^ (state >>> 13);
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  for (let i = 0; i < 8; i++) next();
  const real = (low: number, high: number): number => low + next() * (high - low);
  return {
    next,
    real,
    whole: (low, high) => Math.floor(real(low, high + 1)),
    around: (median, spread) => median * spread ** (next() + next() - 1),
    chance: (part) => next() < part,
    pick: (of) => of[Math.floor(next() * of.length)]!,
  };
}
