// Series as they are found in the wild: cut, wrapped, coloured, garbled, and from who means no good.
import { describe, expect, it } from 'vitest';
import { verdictFor } from '../packages/core/src/rules/testing.ts';
import { findingsOf } from '../packages/core/src/utilization/findings.ts';
import type { SeriesSet } from '../packages/core/src/utilization/series-set.ts';
import { setOf } from './series-judged.ts';
import { boards, runMachine } from './series-machine.ts';
import { randomOf } from './series-random.ts';
import { training } from './series-scenarios.ts';
import { machineDmon, machineExporter, machineQuery } from './series-texts.ts';

const board = boards[0]!;
const work = training(() => 0.6);
const measured = {
  samples: runMachine({
    board,
    gpus: 2,
    seconds: 90,
    step: 1,
    seed: 3,
    load: () => ({ ...work, heat: 0.8 }),
    rig: () => ({ clocks: 0.6 }),
  }),
  names: [{ gpu: 0 }, { gpu: 1 }],
  board: board.name,
  step: 1,
};
const plain = { seed: 3, lostRows: 0, lostCells: 0, ahead: 0 };
const texts = {
  dmon: machineDmon(measured, 'r590', 'pucmt', 'T', plain),
  query: machineQuery(measured, [], true, plain),
  exporter: machineExporter(measured, [], false, 3, plain),
};
const kinds = Object.keys(texts) as readonly (keyof typeof texts)[];

function causesOf(set: SeriesSet): readonly string[] {
  const all = [...set.gpus.values()].flatMap((gpu) => gpu.all.filter((each) => each.count > 0));
  for (const each of all) expect(Number.isFinite(each.mean) && each.min >= 0 && each.min <= each.max).toBe(true);
  return findingsOf(set).map(({ cause }) => cause);
}

const mild: Readonly<Record<string, (text: string) => string>> = {
  'lines that end as on Windows': (text) => text.replaceAll('\n', '\r\n'),
  'a last line that is half written': (text) => text.slice(0, -25),
  'a first line that is cut': (text) => `0.00 W, 81559 MiB, [N/A]\n${text}`,
  colours: (text) => text.replaceAll(/^.{1,400}$/gm, (line) => `\u001b[32m${line}\u001b[0m`),
  'blank lines': (text) => text.replaceAll('\n', '\n\n'),
  'a shell prompt before and after': (text) => `user@node:~$ watch-the-gpu\n${text}user@node:~$ \n`,
  'binary garbage before': (text) =>
    `${String.fromCharCode(...Array.from({ length: 3000 }, (_, i) => (i * 7919) % 65_000))}\n${text}`,
  'a line of two megabytes': (text) => `${'9 '.repeat(1_000_000)}\n${text}`,
};

describe('a series that suffered on its way', () => {
  it.each(kinds.flatMap((kind) => Object.keys(mild).map((how) => [kind, how] as const)))(
    '%s with %s says the same',
    (kind, how) => {
      const clean = causesOf(setOf([texts[kind]]));
      expect(causesOf(setOf([mild[how]!(texts[kind])]))).toEqual(clean);
    },
  );

  it('dmon that a terminal wrapped accuses nobody', () => {
    const wrapped = texts.dmon.replaceAll(/(.{60})(?=.)/g, '$1\n');
    expect(
      findingsOf(setOf([wrapped])).filter(({ kind, certainty }) => kind === 'fault' && certainty !== 'possible'),
    ).toEqual([]);
  });

  it('numbers with a decimal comma are never read as others', () => {
    const comma = texts.query.replaceAll(/(\d+)\.(\d\d) W/g, '$1,$2 W');
    for (const { all } of setOf([comma]).gpus.values())
      for (const each of all) if (each.count > 0) expect(each.max).toBeLessThan(1e9);
  });
});

describe('a series from who means no good', () => {
  it.each([
    ['NaN'],
    ['nan'],
    ['+Inf'],
    ['-Inf'],
    ['-3'],
    ['1e308'],
    ['1e-400'],
    ['9223372036854775794'],
    ['0x7f'],
    ['١٢'],
  ])('%s in every cell is nothing that is known', (value) => {
    causesOf(setOf([texts.dmon.replaceAll(/ \d{2,4}(?= )/g, ` ${value}`)]));
    causesOf(setOf([texts.exporter.replaceAll(/\} \S{1,40}$/gm, `} ${value}`)]));
    causesOf(setOf([texts.query.replaceAll(/, \d{2,5}/g, `, ${value}`)]));
  });

  it('time that goes backwards and jumps changes no level', () => {
    const random = randomOf(9);
    const lines = texts.dmon.split('\n');
    const rows = lines.filter((line) => !line.startsWith('#') && line !== '').toSorted(() => random() - 0.5);
    const set = setOf([[...lines.slice(0, 2), ...rows].join('\n')]);
    expect(set.gpus.get('0')?.all[0]?.mean).toBeCloseTo(setOf([texts.dmon]).gpus.get('0')!.all[0]!.mean, 6);
    causesOf(set);
  });

  it('a million GPUs take no memory that grows', { timeout: 60_000 }, () => {
    const dmon = [
      '# gpu    pwr     sm    mem',
      ...Array.from({ length: 1_000_000 }, (_, gpu) => ` ${gpu} 500 98 40`),
    ].join('\n');
    const exporter = Array.from(
      { length: 100_000 },
      (_, gpu) => `DCGM_FI_DEV_GPU_UTIL{gpu="${gpu}",UUID="GPU-${gpu}",Hostname="n${gpu % 977}"} 98`,
    ).join('\n');
    for (const text of [dmon, exporter]) {
      const set = setOf([text]);
      expect(set.gpus.size).toBeLessThanOrEqual(512);
      expect(set.dark.size).toBeLessThanOrEqual(512);
      expect(set.left.length).toBeGreaterThan(0);
      causesOf(set);
    }
  });

  it('what only begins like a table is pasted without harm', () => {
    for (const text of [
      '# gpu',
      '#Time gpu',
      '#Entity',
      'timestamp, index',
      'DCGM_FI_DEV_GPU_UTIL{',
      '# gpu sm\n# Idx %\n 0',
      `${'# gpu '.repeat(5000)}\n0 1`,
    ])
      expect(verdictFor(text).status).not.toBe('fault');
  });
});
