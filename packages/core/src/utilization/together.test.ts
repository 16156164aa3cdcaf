import { describe, expect, it } from 'vitest';
import { findingsOf } from './findings.ts';
import { SeriesReader } from './reader.ts';
import { SeriesSet } from './series-set.ts';

function setOf(...texts: readonly string[]): SeriesSet {
  const set = new SeriesSet();
  texts.forEach((text, at) => {
    const reader = new SeriesReader(set, `file-${at}`);
    text.split('\n').forEach((line, number) => reader.line(line, number + 1));
    reader.end();
  });
  return set;
}

const rows = (count: number, row: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => row(at)).join('\n');

describe('GPUs that are named together', () => {
  it('each keep their numbers', () => {
    const text = `# gpu    pwr     sm    mem   mclk   pclk\n${rows(30, () => '    0    620     98     50   2619   1800\n    1    520     90     50   2619   1800')}`;
    const [found] = findingsOf(setOf(text));
    expect(found).toMatchObject({ cause: 'ok-well-used', gpus: ['0', '1'] });
    expect(found?.message).toContain('90 to 98 % utilisation at 74 to 89 %');
  });

  it('hold none that heat slows down, though it is busy', () => {
    const head = 'index, utilization.gpu [%], power.draw [W], power.limit [W], clocks_event_reasons.active';
    const text = `${head}\n${rows(30, () => '0, 98 %, 620 W, 700 W, 0x0\n1, 99 %, 400 W, 700 W, 0x40')}`;
    const found = findingsOf(setOf(text));
    expect(found.map(({ cause, gpus }) => [cause, gpus])).toEqual(
      expect.arrayContaining([
        ['thermal-throttle', ['1']],
        ['ok-well-used', ['0']],
      ]),
    );
    expect(found).toHaveLength(2);
  });
});

describe('a list of processes', () => {
  const held = `index, utilization.gpu [%], memory.used [MiB]\n${rows(30, () => '0, 0 %, 61000 MiB')}`;

  it('whose names lead to no series does not say that a GPU has none', () => {
    const apps = 'gpu_uuid, pid, process_name, used_gpu_memory [MiB]\nGPU-0b9e41c7-5528, 4711, python3, 61000 MiB';
    const [found] = findingsOf(setOf(held, apps));
    expect(found).toMatchObject({ cause: 'gpu-memory-held-by-orphans', certainty: 'possible' });
  });

  it('that is empty says it', () => {
    const [found] = findingsOf(setOf(held, 'gpu_uuid, pid, process_name, used_gpu_memory [MiB]\n'));
    expect(found).toMatchObject({ cause: 'gpu-memory-held-by-orphans', certainty: 'likely' });
  });

  it('alone asks for the counters', () => {
    const text = `# gpu         pid   type     sm    mem    command\n${rows(20, () => '    0       4711     C     97      2    python3')}`;
    expect(findingsOf(setOf(text))).toMatchObject([{ cause: 'util-metric-not-exported', kind: 'unclear' }]);
  });
});

describe('dcgmi dmon whose columns a paste has moved', () => {
  it('is read by the order of its cells', () => {
    const text = `#Entity   GPUTL      POWER      SMACT        DRAMA\nID\n${rows(20, () => 'GPU 0     98        314.456       0.980        0.200')}`;
    const [series] = setOf(text).gpus.values();
    const means = series!.all.filter(({ count }) => count > 0).map(({ mean }) => Math.round(mean * 10) / 10);
    expect(means.toSorted((a, b) => a - b)).toEqual([20, 98, 98, 314.5]);
  });
});
