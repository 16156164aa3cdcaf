import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, describe, expect, it } from 'vitest';
import type { SeriesComparison } from '../packages/core/src/utilization/comparison.ts';
import { culprit, root, scratch } from './run-cli.ts';

const folder = scratch();
afterAll(folder.remove);

/** Twenty minutes of two GPUs by their clock; `slow` says from which second on GPU 1 is slow. */
function written(name: string, from: number, slow: number, count = 1200): string {
  const clock = (t: number): string => new Date((from + t) * 1000).toISOString().slice(11, 19);
  const rows = Array.from({ length: count }, (_, t) =>
    [0, 1].map((gpu) => {
      const late = gpu === 1 && t >= slow;
      return ` ${clock(t)}  ${gpu}  ${(late ? 370 : 560) + ((t * 7) % 11)}  97  41  2619  ${late ? 1200 : 1905 + 15 * (t % 3)}`;
    }),
  );
  const path = folder.path(name);
  writeFileSync(path, ['#Time gpu pwr sm mem mclk pclk', ...rows.flat(), ''].join('\n'));
  return path;
}

const never = Number.POSITIVE_INFINITY;
const before = written('before.log', 50_400, never);
const same = written('same.log', 54_000, never);
const half = written('half.log', 54_000, 700);
const short = written('short.log', 54_000, 0, 6);
const shape = new Ajv2020({ strict: false }).compile(
  JSON.parse(readFileSync(join(root, 'packages/cli/schemas/series-comparison.schema.json'), 'utf8')) as object,
);

function asked(...args: readonly string[]): { readonly status: number | null; readonly found: SeriesComparison } {
  const ran = culprit(['util', '--compare', '-f', 'json', ...args]);
  const found = JSON.parse(ran.out) as SeriesComparison;
  shape(found);
  expect(shape.errors ?? []).toEqual([]);
  return { status: ran.status, found };
}

describe('culprit util --compare', () => {
  it('exits 0 where nothing changed', () => {
    const { status, found } = asked(before, same);
    expect([status, found.answer, found.changed]).toEqual([0, 'equal', []]);
  });

  it('exits 1 where something did, and says since when', () => {
    const { status, found } = asked(before, half);
    expect([status, found.answer]).toEqual([1, 'changed']);
    expect(found.changed.map(({ gpu, metric }) => `${gpu} ${metric}`).toSorted()).toEqual(['1 power', '1 sm-clock']);
    expect(new Set(found.changed.map(({ since }) => since?.text))).toEqual(new Set(['15:11:40']));
  });

  it('exits 3 where the series are too short', () => {
    expect(asked(before, short)).toMatchObject({ status: 3, found: { answer: 'cannot-tell' } });
  });

  it.each([
    ['a time', ['--split', '15:10']],
    ['two spans', ['--before', '15:00..15:08', '--after', '15:08..15:20']],
  ])('compares periods of one file, given as %s', (_, args) => {
    const { status, found } = asked(...args, half);
    expect([status, found.by]).toEqual([1, 'period']);
    expect(found.changed.find(({ metric }) => metric === 'sm-clock')?.since?.text).toBe('15:11:40');
  });

  it('compares nodes, and names the GPU', () => {
    const third = written('third.log', 50_400, 0);
    const { status, found } = asked('--by', 'node', before, same, third);
    expect([status, found.by]).toEqual([1, 'node']);
    expect(found.changed.map(({ gpu }) => gpu)).toEqual([`${third}:1`, `${third}:1`]);
  });

  it('prints text and Markdown', () => {
    const text = culprit(['util', '--compare', before, half]).out;
    expect(text.split('\n')[0]).toContain('GPU 1 changed since 15:11:40');
    expect(text).toContain('stayed equal');
    expect(culprit(['util', '--compare', '-f', 'markdown', before, half]).out).toContain(
      '| changed | GPU 1 | sm-clock |',
    );
  });

  it.each([
    ['one file', [before]],
    ['standard input for periods', ['--split', '15:10', '-']],
    ['no time', ['--split', 'noon', half]],
    ['one period', ['--before', '15:00..15:08', half]],
    ['both ways of naming periods', ['--split', '15:10', '--before', '15:00..15:08', half]],
    ['nodes and periods', ['--by', 'node', '--split', '15:10', half]],
    ['one node', ['--by', 'node', half]],
    ['another grouping', ['--by', 'rack', half]],
  ])('refuses %s', (_, args) => {
    expect(culprit(['util', '--compare', ...args]).status).toBe(2);
  });

  it('refuses a period without --compare', () => {
    expect(culprit(['util', '--split', '15:10', half]).status).toBe(2);
  });
});
