/** What was left out of a trace, by reason. */
export interface Counts {
  /** No duration, or none that is a number. */
  noDuration: number;
  negative: number;
  /** No time, or one that is no number or years away from the others. */
  noTime: number;
  noName: number;
  ranges: number;
  waits: number;
  device: number;
  overlapping: number;
  pending: number;
  unpaired: number;
}

export function newCounts(): Counts {
  return {
    noDuration: 0,
    negative: 0,
    noTime: 0,
    noName: 0,
    ranges: 0,
    waits: 0,
    device: 0,
    overlapping: 0,
    pending: 0,
    unpaired: 0,
  };
}

const reasons: readonly (readonly [keyof Counts, (count: string) => string])[] = [
  ['noDuration', (count) => `${count} without a duration that is a number are left out`],
  ['negative', (count) => `${count} with a negative duration count as points`],
  ['noTime', (count) => `${count} without a time that fits the others are left out`],
  ['noName', (count) => `${count} without a name are called (unnamed)`],
  ['ranges', (count) => `${count} beyond the first 200,000 named stretches are left out`],
  ['waits', (count) => `${count} beyond the first million waits between streams are left out`],
  ['device', (count) => `${count} of a GPU with an impossible number count to GPU 0`],
  [
    'overlapping',
    (count) => `${count} of the GPU begin before their stream is free; their times are taken as they stand`,
  ],
  ['pending', (count) => `${count} of tracks without a name are left out, as there are too many of them`],
  ['unpaired', (count) => `${count} that begin and do not end, or end without a beginning, are left out`],
];

/** In words, with how many of each. */
export function countsInWords(counts: Counts): readonly string[] {
  return reasons.flatMap(([reason, words]) => {
    const count = counts[reason];
    return count === 0 ? [] : [words(count === 1 ? '1 event' : `${count} events`)];
  });
}
