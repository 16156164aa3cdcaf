// Two periods of one server, before and after a change of its machines: the road of the command, in this process.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Call, FlagValue } from '../packages/cli/src/commands/command.ts';
import { compare } from '../packages/cli/src/commands/util-compare.ts';
import type { CulpritError } from '../packages/cli/src/errors.ts';
import { defaultThresholds } from '../packages/core/src/utilization/thresholds.rows.ts';
import type { SeriesComparison } from '../packages/core/src/utilization/comparison.ts';
import { FakePrometheus } from './series-judged.ts';
import type { ServerSeries } from './series-render.ts';

const server = new FakePrometheus();
beforeAll(() => server.start());
afterAll(() => server.stop());

const begin = Date.parse('2026-03-03T10:00:00Z') / 1000;
const hour = 3600;

interface Board {
  readonly host?: string;
  readonly uuid: string;
  /** Hours after the first in which it has points, and its clock in them. */
  readonly hours: readonly number[];
  readonly clock?: number;
}

/** What the server holds of GPU 0: an hour is 120 points. */
function boards(...each: readonly Board[]): readonly ServerSeries[] {
  return each.flatMap(({ host = 'node-a', uuid, hours, clock = 1905 }) =>
    Object.entries({ GPU_UTIL: 98, SM_CLOCK: clock, POWER_USAGE: clock / 3 }).map(([name, value]) => ({
      metric: { __name__: `DCGM_FI_DEV_${name}`, gpu: '0', UUID: uuid, Hostname: host, job: 'dcgm-exporter' },
      values: hours.flatMap((from) =>
        Array.from({ length: 120 }, (_, at): readonly [number, string] => [
          begin + from * hour + at * 30,
          String(value + (at % 3)),
        ]),
      ),
    })),
  );
}

async function ran(
  series: readonly ServerSeries[],
  positionals: readonly string[],
  flags: Readonly<Record<string, FlagValue>> = {},
): Promise<{ readonly status: number; readonly found: SeriesComparison }> {
  server.series = series;
  let out = '';
  const call: Call = {
    positionals,
    flags: { compare: true, prometheus: server.url, step: '30s', ...flags },
    format: 'json',
    output: { color: false, columns: null, data: (text) => (out += text), note() {}, progress() {}, error() {} },
    knowledge: () => Promise.reject(new Error('no tables are needed')),
  };
  const status = await compare(call, defaultThresholds);
  return { status, found: JSON.parse(out) as SeriesComparison };
}

async function refused(...asked: Parameters<typeof ran>): Promise<string> {
  const error = await ran(...asked).then(
    () => null,
    (thrown: CulpritError) => thrown,
  );
  return error === null ? 'nothing' : `${error.exit} ${error.message}`;
}

const [early, late] = ['2026-03-03T10:00Z..11:00', '2026-03-03T14:00Z..15:00'];
const same = boards({ uuid: 'GPU-a', hours: [0, 4] });
const slower = [...boards({ uuid: 'GPU-a', hours: [0] }), ...boards({ uuid: 'GPU-a', hours: [4], clock: 1200 })].map(
  (each, at) => ({ ...each, metric: { ...each.metric, job: at < 3 ? 'old' : 'new' } }),
);

describe('two periods of a server', () => {
  it('are equal where nothing changed', async () => {
    const { status, found } = await ran(same, [early, late]);
    expect([status, found.by, found.answer]).toEqual([0, 'period', 'equal']);
    expect(found.sides.map(({ name, from, samples }) => [name, from, samples])).toEqual([
      [early, '2026-03-03 10:00:00', 120],
      [late, '2026-03-03 14:00:00', 120],
    ]);
  });

  it.each([
    ['as arguments', [early, late], {}],
    ['by flags', [], { before: early, after: late }],
    ['by a time between', [], { split: '2026-03-03T13:00Z', from: '2026-03-03T10:00Z', to: '2026-03-03T16:00Z' }],
  ] as const)('tell what changed, named %s', async (_, positionals, flags) => {
    const { status, found } = await ran(slower, positionals, flags);
    expect([status, found.answer]).toEqual([1, 'changed']);
    expect(found.changed.map(({ gpu, metric }) => `${gpu} ${metric}`).toSorted()).toEqual([
      'node-a:0 power',
      'node-a:0 sm-clock',
    ]);
    expect(found.changed[0]?.since).toMatchObject({ side: 'between', text: '2026-03-03 14:00:00' });
    expect(found.headline).toContain('GPU 0 of node-a');
  });

  it('that meet at a point each take it once', async () => {
    const { found } = await ran(boards({ uuid: 'GPU-a', hours: [0, 1] }), [
      '2026-03-03T10:00Z..11:00',
      '2026-03-03T11:00Z..12:00',
    ]);
    expect(found.sides.map(({ samples }) => samples)).toEqual([120, 120]);
  });

  it('name a board that came in the place of another, and compare the rest', async () => {
    const more = boards({ uuid: 'GPU-c', hours: [0, 4] }).map((each) => ({
      ...each,
      metric: { ...each.metric, gpu: '1' },
    }));
    const { status, found } = await ran(
      [...boards({ uuid: 'GPU-a', hours: [0] }, { uuid: 'GPU-b', hours: [4] }), ...more],
      [early, late],
    );
    expect([status, found.gone, found.added]).toEqual([1, ['node-a:0 (GPU-a)'], ['node-a:0 (GPU-b)']]);
    expect(found.headline).toContain('GPU 0 (GPU-a) of node-a');
    expect(new Set(found.equal.map(({ gpu }) => gpu))).toEqual(new Set(['node-a:1']));
  });

  it.each([
    ['that is empty', same, [early, '2026-03-03T20:00Z..21:00'], /^4 the period .*T20:00Z.* is empty/],
    [
      'on another node',
      boards({ uuid: 'GPU-a', hours: [0] }, { host: 'node-b', uuid: 'GPU-b', hours: [4] }),
      [early, late],
      /^4 the two periods have no GPU in common: GPU 0 of node-a before, GPU 0 of node-b after/,
    ],
    [
      'on another board',
      boards({ uuid: 'GPU-a', hours: [0] }, { uuid: 'GPU-b', hours: [4] }),
      [early, late],
      /^4 the two periods have no GPU in common: .*GPU-a.*GPU-b/,
    ],
    ['that overlaps', same, [early, '2026-03-03T10:30Z..15:00'], /^2 .*have time in common/],
    ['that ends before it begins', same, [early, '2026-03-03T10:00Z..2026-03-02T10:00Z'], /^2 .*ends before it begins/],
    ['that has not begun', same, [early, '2999-01-01T10:00Z..11:00'], /^2 .*has not begun/],
    ['that is none', same, [early, 'yesterday'], /^2 a period is FROM\.\.TO/],
    ['alone', same, [early], /^2 the second period is missing/],
    ['and a third', same, [early, late, early], /^2 .*takes two periods/],
    ['not at all', same, [], /^2 .*takes two periods/],
  ] as const)('refuse one %s', async (_, series, positionals, words) => {
    expect(await refused(series, positionals)).toMatch(words);
  });

  it.each([
    ['both ways', [early, late], { before: early }],
    ['a period and how far back', [early, late], { since: '1h' }],
    ['a time outside', [], { split: '2026-03-03T20:00Z', from: '2026-03-03T10:00Z', to: '2026-03-03T16:00Z' }],
    ['a sampling', [early, late], { for: '10s' }],
    ['nodes against each other', [], { by: 'node', split: '14:00' }],
  ] as const)('refuse %s', async (_, positionals, flags) => {
    expect(await refused(same, positionals, flags)).toMatch(/^2 /);
  });
});
