import { describe, expect, test } from 'vitest';
import { KinetoReader } from './kineto/kineto-reader.ts';
import type { Trace } from './model.ts';
import { numbersThatDiffer, rankOfName, rankTraces } from './rank-files.ts';

const empty = new KinetoReader().end();
const trace = (file: string, rank: number | null = null, ranks: number | null = null): Trace => ({
  ...empty,
  file,
  rank,
  ranks,
});

describe('the rank of a file', () => {
  test.each([
    ['rank0.json', 0],
    ['traces/rank-12.Apr_03_18_51_38.1102.pt.trace.json.gz', 12],
    ['trace_rank_7_step_3.json', 7],
    ['out/rank3/host_123.1700000000.pt.trace.json', 3],
    ['run.r5.json', 5],
    ['gpu2.json', 2],
    ['node-a_4711.1700000000000.pt.trace.json', null],
    ['franking5.json', null],
  ])('%s is %s', (name, rank) => expect(rankOfName(name)).toBe(rank));

  test.each([
    [
      ['report.0.sqlite', 'report.1.sqlite', 'report.10.sqlite'],
      [0, 1, 10],
    ],
    [['a_4711.json', 'a_4712.json'], null],
    [['a.json', 'b.json'], null],
    [['x1_y2.json', 'x2_y1.json'], null],
  ])('%j differ in %j', (names, numbers) => expect(numbersThatDiffer(names)).toEqual(numbers));
});

describe('traces of a job', () => {
  test('are ordered by the rank they say', () => {
    const { traces, left } = rankTraces([trace('a', 2, 3), trace('b', 0, 3), trace('c', 1, 3)]);
    expect(traces.map(({ file }) => file)).toEqual(['b', 'c', 'a']);
    expect(left).toEqual([]);
  });

  test('take a rank once and tell the missing ones', () => {
    const { traces, left } = rankTraces([trace('a', 0, 8), trace('b', 3, 8), trace('c', 3, 8)]);
    expect(traces.map(({ rank }) => rank)).toEqual([0, 3]);
    expect(left).toHaveLength(2);
    expect(left[1]).toContain('1-2, 4-7');
  });

  test('have it from their names, else from the order of these', () => {
    expect(rankTraces([trace('r.0.sqlite'), trace('r.1.sqlite')]).traces.map(({ rank }) => rank)).toEqual([0, 1]);
    const numbered = rankTraces([trace('n1_77.json'), trace('n2_78.json')]);
    expect(numbered.traces.map(({ rank }) => rank)).toEqual([0, 1]);
    expect(numbered.left).toHaveLength(1);
  });

  test('of one process at several times are one', () => {
    const { traces, left } = rankTraces([trace('n_7.1700000001.pt.trace.json'), trace('n_7.1700000002.pt.trace.json')]);
    expect(traces).toHaveLength(1);
    expect(left).toHaveLength(1);
  });

  test('of which one stands alone is told of the others', () => {
    expect(rankTraces([trace('a', 0, 4)]).left[0]).toContain('1-3');
    expect(rankTraces([trace('a')]).left).toEqual([]);
  });
});
