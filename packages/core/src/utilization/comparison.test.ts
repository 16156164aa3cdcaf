import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dmonOf, scrapesOf } from '../rules/testing-series.ts';
import { changePoint } from './change-point.ts';
import { sideOf } from './compare.ts';
import { nodesOf } from './compare-nodes.ts';
import type { SeriesComparison } from './comparison.ts';
import { comparisonOf } from './comparison.ts';
import { SeriesReader } from './reader.ts';
import { SeriesSet } from './series-set.ts';
import { defaultThresholds } from './thresholds.rows.ts';
import { TimeWindow, momentOfText, periodOfText } from './time-window.ts';

function setOf(text: string, window: TimeWindow | null = null, name = 'a.log'): SeriesSet {
  const set = new SeriesSet();
  set.window = window;
  const reader = new SeriesReader(set, name);
  text.split('\n').forEach((line, at) => reader.line(line, at + 1));
  reader.end();
  set.settle();
  return set;
}

function compared(before: SeriesSet, after: SeriesSet): SeriesComparison {
  return comparisonOf('input', [sideOf('before', before), sideOf('after', after)], defaultThresholds);
}

/** Noise that is always the same. */
const noise = (t: number, size: number): number => Math.round(Math.sin(t * 12.9898) * 43758.5453) % (size + 1);
const clock = (t: number): string => new Date(t * 1000).toISOString().slice(11, 19);

/** A job from a time on, with power and clock that a function of the time says. */
function job(
  from: number,
  count: number,
  of: (t: number, gpu: number) => readonly [power: number, clock: number],
  gpus = 2,
): string {
  return dmonOf('Time gpu pwr sm mem mclk pclk', count, (t) =>
    Array.from({ length: gpus }, (_, gpu) => {
      const [power, mhz] = of(t, gpu);
      return [clock(from + t), gpu, power + noise(t + gpu, 9), 97, 41, 2619, mhz];
    }),
  ).replace('# ', '#');
}

const steady = (): readonly [number, number] => [560, 1920];
const changedIn = (found: SeriesComparison): readonly string[] =>
  found.changed.map(({ gpu, metric }) => `${gpu} ${metric}`);

describe('two series', () => {
  it('of the same work are equal, and what is equal is said', () => {
    const found = compared(setOf(job(50_000, 120, steady)), setOf(job(60_000, 150, steady)));
    expect(found).toMatchObject({ answer: 'equal', changed: [] });
    expect(found.equal.map(({ metric }) => metric)).toContain('sm-clock');
  });

  it('of which one GPU is slower from the beginning say so, since the second', () => {
    const found = compared(
      setOf(job(50_000, 120, steady)),
      setOf(job(60_000, 150, (_, gpu) => (gpu === 1 ? [370, 1200] : [560, 1920]))),
    );
    expect(changedIn(found).toSorted()).toEqual(['1 power', '1 sm-clock']);
    expect(found.changed[0]?.since).toMatchObject({ side: 'between', text: clock(60_000) });
  });

  it('say when within the second it became so, though most of it was as before', () => {
    const found = compared(
      setOf(job(50_000, 120, steady)),
      setOf(job(60_000, 200, (t, gpu) => (gpu === 1 && t >= 130 ? [370, 1200] : [560, 1920]))),
    );
    expect(found.answer).toBe('changed');
    const clocks = found.changed.find(({ metric }) => metric === 'sm-clock');
    expect(clocks).toMatchObject({ gpu: '1', since: { side: 'after', text: clock(60_130) } });
    expect(clocks?.after?.value).toBe(1200);
  });

  it('that are short show nothing', () => {
    const found = compared(setOf(job(50_000, 8, steady)), setOf(job(60_000, 8, () => [370, 1200])));
    expect(found.answer).toBe('cannot-tell');
    expect(found.changed).toEqual([]);
  });

  it('that vary as much as they differ cannot tell', () => {
    const wild =
      (base: number) =>
      (t: number): readonly [number, number] => [base + (Math.floor(t / 25) % 2) * 300, 1920];
    const found = compared(setOf(job(50_000, 100, wild(300))), setOf(job(60_000, 100, wild(360))));
    expect(found.changed).toEqual([]);
    expect(found.answer).toBe('cannot-tell');
  });

  it('name GPUs that are gone and new', () => {
    const found = compared(setOf(job(50_000, 60, steady, 3)), setOf(job(60_000, 60, steady, 2)));
    expect(found).toMatchObject({ answer: 'changed', gone: ['2'], added: [] });
  });

  it('are never changed against themselves', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ power: fc.integer({ min: 60, max: 700 }), mhz: fc.integer({ min: 300, max: 1980 }) }), {
          minLength: 1,
          maxLength: 9,
        }),
        fc.integer({ min: 4, max: 200 }),
        (levels, count) => {
          const text = job(50_000, count, (t) => {
            const { power, mhz } = levels[Math.floor(t / 7) % levels.length]!;
            return [power, mhz];
          });
          expect(compared(setOf(text), setOf(text)).changed).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('tell that error counters began to grow', () => {
    const scrapes = (to: number): string =>
      scrapesOf(['gpu="0",Hostname="n1"'], 40, (t) => ({ DEV_GPU_UTIL: 97, DEV_PCIE_REPLAY_COUNTER: t < 20 ? 5 : to }));
    const found = compared(setOf(scrapes(5)), setOf(scrapes(900)));
    expect(changedIn(found)).toEqual(['0 growth of replays']);
  });
});

describe('two periods of one series', () => {
  const text = job(50_000, 300, (t, gpu) => (gpu === 0 && t >= 180 ? [370, 1200] : [560, 1920]));
  it('split at a time', () => {
    const at = momentOfText(clock(50_200));
    const found = compared(setOf(text, new TimeWindow(null, at)), setOf(text, new TimeWindow(at, null)));
    expect(changedIn(found).toSorted()).toEqual(['0 power', '0 sm-clock']);
    // Where the change was before the split, that is said.
    expect(found.changed[0]?.since).toMatchObject({ side: 'before', text: clock(50_180) });
  });
  it('given as spans', () => {
    const [one, other] = [periodOfText(`${clock(50_000)}..${clock(50_100)}`)!, periodOfText(`${clock(50_100)}..`)!];
    const found = compared(
      setOf(text, new TimeWindow(one.from, one.to)),
      setOf(text, new TimeWindow(other.from, other.to)),
    );
    expect(found.changed.find(({ metric }) => metric === 'sm-clock')?.since?.text).toBe(clock(50_180));
  });
});

describe('nodes', () => {
  const node = (name: string, slow: (gpu: number) => boolean) => ({
    name,
    set: setOf(
      job(50_000, 60, (_, gpu) => (slow(gpu) ? [370, 1200] : [560, 1920]), 4),
      null,
      name,
    ),
  });
  const by = (...sets: ReturnType<typeof node>[]): SeriesComparison =>
    comparisonOf('node', nodesOf(sets), defaultThresholds);
  const none = (): boolean => false;
  it('that are alike are equal', () => {
    expect(by(node('a', none), node('b', none), node('c', none)).answer).toBe('equal');
  });
  it('name one GPU of one node', () => {
    const found = by(
      node('a', none),
      node('b', (gpu) => gpu === 2),
      node('c', none),
    );
    expect(changedIn(found).toSorted()).toEqual(['b:2 power', 'b:2 sm-clock']);
  });
  it('name the node of which all GPUs differ', () => {
    const found = by(
      node('a', none),
      node('b', none),
      node('c', () => true),
    );
    expect(changedIn(found).toSorted()).toEqual(['c power', 'c sm-clock']);
  });
  it('are told by their hosts where the series name them', () => {
    const set = new SeriesSet();
    set.nameHosts();
    const reader = new SeriesReader(set, 'metrics.prom');
    const text = scrapesOf(['gpu="0",Hostname="n1"', 'gpu="0",Hostname="n2"'], 20, () => ({ DEV_GPU_UTIL: 97 }));
    text.split('\n').forEach((line, at) => reader.line(line, at + 1));
    reader.end();
    expect(nodesOf([{ name: 'metrics.prom', set }]).map(({ name }) => name)).toEqual(['n1', 'n2']);
  });
});

describe('the time of a change', () => {
  it('is found where a level steps, whatever the noise below it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 10, max: 90 }),
        fc.integer({ min: 20, max: 500 }),
        fc.boolean(),
        (at, step, down) => {
          const values = Array.from(
            { length: 100 },
            (_, t) => 700 + noise(t, 6) + (t >= at ? (down ? -step : step) : 0),
          );
          expect(Math.abs(changePoint(values)!.at - at)).toBeLessThanOrEqual(1);
        },
      ),
    );
  });
  it('is none in a few values or in a level that never moves', () => {
    expect(changePoint([1, 2, 3])).toBeNull();
    expect(changePoint(Array.from({ length: 50 }, () => 7))).toBeNull();
  });
});

describe('times that a person writes', () => {
  it.each([
    ['14:32', 'clock', 52_320],
    ['14:32:10', 'clock', 52_330],
    ['2026-03-03 14:32:10', 'date', 1_772_548_330],
    ['2026-03-03T14:32:10Z', 'date', 1_772_548_330],
    ['2026-03-03T15:32:10+01:00', 'date', 1_772_548_330],
    ['2026-03-03', 'date', 1_772_496_000],
    ['1772548330', 'number', 1_772_548_330],
    ['600', 'number', 600],
  ])('%s', (text, kind, seconds) => {
    expect(momentOfText(text)).toEqual({ kind, seconds });
  });
  it.each(['', 'noon', '25:61', '2026-13-40', '14', '-5', '14:3'].filter((text) => text !== '14'))(
    '%s is none',
    (text) => {
      expect(momentOfText(text)).toBeNull();
    },
  );
  it('a period over midnight ends on the next day', () => {
    const { from, to } = periodOfText('23:50..00:10')!;
    const window = new TimeWindow(from, to);
    expect(window.has(86_390, 'day')).toBe(true);
    expect(window.has(86_400 + 300, 'day')).toBe(true);
    expect(window.has(86_400 + 700, 'day')).toBe(false);
  });
  it('samples without a time are held against no clock', () => {
    const window = new TimeWindow(momentOfText('14:00'), null);
    expect(window.has(12, 'count')).toBe(false);
    expect(window.untimed).toBe(1);
  });
});
