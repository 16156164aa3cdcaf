// The rows that a finding quotes lie in the time that it is about.
import { describe, expect, it } from 'vitest';
import { findingsOf } from './findings.ts';
import { SeriesReader } from './reader.ts';
import { SeriesSet } from './series-set.ts';

interface Row {
  readonly pwr?: number;
  readonly sm?: number;
  readonly mem?: number;
  readonly pclk?: number;
  readonly rx?: number;
  readonly fb?: number;
}

/** `dmon` of some GPUs: 400 samples. */
function found(gpus: number, row: (t: number, gpu: number) => Row): SeriesSet {
  const set = new SeriesSet();
  const reader = new SeriesReader(set, 'dmon.log');
  reader.line('# gpu pwr sm mem mclk pclk rxpci txpci fb', 1);
  for (let t = 0; t < 400; t++)
    for (let gpu = 0; gpu < gpus; gpu++) {
      const { pwr = 600 + (t % 7) * 4, sm = 99, mem = 40, pclk = 1905, rx = 50, fb = 60_000 } = row(t, gpu);
      reader.line(` ${gpu} ${pwr} ${sm} ${mem} 2619 ${pclk} ${rx} 20 ${fb}`, 2 + t * gpus + gpu);
    }
  reader.end();
  return set;
}

/** Samples that a finding quotes. */
function quoted(set: SeriesSet, cause: string, gpus: number): readonly number[] {
  const places = findingsOf(set).find((each) => each.cause === cause)?.places ?? [];
  return places.map(({ line }) => Math.floor((line - 2) / gpus));
}

const at = 150;

describe('a row that is quoted', () => {
  it.each([
    [
      'of a GPU that became slow',
      'straggler-gpu',
      4,
      (t: number, gpu: number): Row => (t >= at && gpu === 2 ? { pclk: 900, pwr: 400 } : {}),
    ],
    [
      'of a kernel that hangs',
      'hung-kernel-app-deadlock',
      1,
      (t: number): Row => (t >= at ? { pwr: 130, mem: 0, rx: 0, sm: 100 } : {}),
    ],
    [
      'of a hang that was ended',
      'hung-kernel-app-deadlock',
      1,
      (t: number): Row =>
        t >= 390 ? { sm: 0, pwr: 70, mem: 0, fb: 0 } : t >= at ? { pwr: 130, mem: 0, rx: 0, sm: 100 } : {},
    ],
    [
      'of ranks that stand in a collective',
      'collective-hang',
      2,
      (t: number): Row => (t >= at ? { pwr: 130, mem: 0, rx: 0, sm: 100 } : {}),
    ],
    [
      'of waits after a start without work',
      'input-pipeline-bound',
      1,
      (t: number): Row => (t < at || t % 10 < 5 ? { sm: 0, mem: 0, pwr: 90 } : {}),
    ],
    [
      'of memory that was left behind',
      'gpu-memory-held-by-orphans',
      1,
      (t: number): Row => (t >= at ? { sm: 0, mem: 0, pwr: 75 } : {}),
    ],
  ] as const)('%s lies in that time', (_, cause, gpus, row) => {
    const samples = quoted(found(gpus, row), cause, gpus);
    expect(samples.length).toBeGreaterThan(0);
    for (const sample of samples) expect(sample).toBeGreaterThanOrEqual(at);
    if (cause === 'hung-kernel-app-deadlock') for (const sample of samples) expect(sample).toBeLessThan(390);
  });
});

describe('a stretch that stands still and ends', () => {
  const still = (t: number, end: Row): Row => (t < 100 ? {} : t < 350 ? { pwr: 130, mem: 0, rx: 0, sm: 100 } : end);
  it('is a hang where all work ended with it', () => {
    const causes = findingsOf(found(1, (t) => still(t, { sm: 0, mem: 0, pwr: 70, fb: 0 }))).map(({ cause }) => cause);
    expect(causes).toContain('hung-kernel-app-deadlock');
  });
  it('is none where the work goes on', () => {
    const causes = findingsOf(found(1, (t) => still(t, {}))).map(({ cause }) => cause);
    expect(causes).not.toContain('hung-kernel-app-deadlock');
  });
  it('is none for sure where another GPU of the job worked meanwhile', () => {
    const all = findingsOf(
      found(3, (t, gpu) => (gpu === 0 && t < 350 ? {} : still(t, { sm: 0, mem: 0, pwr: 70, fb: 0 }))),
    );
    expect(all.filter(({ kind, certainty }) => kind === 'fault' && certainty !== 'possible')).toEqual([]);
  });
});
