import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { healthy } from '../rules/testing-shapes.ts';
import { findingsOf } from './findings.ts';
import { SeriesReader } from './reader.ts';
import { SeriesSet } from './series-set.ts';

/** Causes that are faults, surely enough to make a verdict. */
function accusations(texts: readonly string[]): readonly string[] {
  const set = new SeriesSet();
  texts.forEach((text, at) => {
    const reader = new SeriesReader(set, `file-${at}`);
    text.split('\n').forEach((line, index) => reader.line(line, index + 1));
    reader.end();
  });
  set.settle();
  return findingsOf(set)
    .filter(({ kind, certainty }) => kind === 'fault' && certainty !== 'possible')
    .map(({ cause, message }) => `${cause}: ${message}`);
}

const all = Object.entries(healthy).flatMap(([cause, texts]) => texts.map((text) => [cause, text] as const));
const series = fc.constantFrom(...all);

/** Heads of tables, which stay where they are, and the rows between them. */
function rowsOf(text: string): readonly (readonly [head: boolean, line: string])[] {
  return text.split('\n').map((line) => [/^(?:#|[a-z])/.test(line), line] as const);
}

describe('a healthy series is accused of nothing', () => {
  it.each(all)('%s', (_, text) => {
    expect(accusations([text])).toEqual([]);
  });

  it('whichever samples are lost', () => {
    fc.assert(
      fc.property(
        series,
        fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 7, maxLength: 23 }),
        ([, text], lost) => {
          const kept = rowsOf(text).filter(([head], at) => head || lost[at % lost.length]! > 2);
          expect(accusations([kept.map(([, line]) => line).join('\n')])).toEqual([]);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('however often rows are repeated', () => {
    fc.assert(
      fc.property(series, fc.integer({ min: 2, max: 5 }), ([, text], times) => {
        const lines = rowsOf(text).flatMap(([head, line]) =>
          head ? [line] : Array.from({ length: times }, () => line),
        );
        expect(accusations([lines.join('\n')])).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it('in whichever order its files come, cut where they may', () => {
    fc.assert(
      fc.property(
        series,
        fc.float({ min: Math.fround(0.2), max: Math.fround(0.8), noNaN: true }),
        fc.boolean(),
        ([, text], share, swap) => {
          const lines = text.split('\n');
          const at = Math.max(4, Math.floor(lines.length * share));
          const heads = text.startsWith('#') ? lines.slice(0, 2) : text.startsWith('DCGM') ? [] : lines.slice(0, 1);
          const parts = [lines.slice(0, at).join('\n'), [...heads, ...lines.slice(at)].join('\n')];
          expect(accusations(swap ? parts.toReversed() : parts)).toEqual([]);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('when it is given twice, and when another healthy series stands beside it', () => {
    fc.assert(
      fc.property(series, series, ([, one], [, other]) => {
        expect(accusations([one, one])).toEqual([]);
        // Two machines: their GPUs are told apart by host where they are, and are one GPU where they are not.
        if (one.startsWith('DCGM') && other.startsWith('DCGM'))
          expect(accusations([one, other.replaceAll('Hostname="n1"', 'Hostname="n2"')])).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it('in any units: percent or shares, MB or bytes', () => {
    const row = (t: number): readonly [number, number, number, number] => [
      560 + (t % 7),
      97,
      88 + (t % 5),
      4100 + 90 * (t % 5),
    ];
    const dmon = [
      '# gpu pwr sm smutil rxpci mclk',
      ...Array.from({ length: 40 }, (_, t) => `0 ${row(t).join(' ')} 2619`),
    ];
    const dcgm = Array.from({ length: 40 }, (_, t) => {
      const [power, util, sm, rx] = row(t);
      const label = '{gpu="0",Hostname="n1"}';
      return `DCGM_FI_DEV_GPU_UTIL${label} ${util}\nDCGM_FI_DEV_POWER_USAGE${label} ${power}\nDCGM_FI_DEV_MEM_CLOCK${label} 2619\nDCGM_FI_PROF_SM_ACTIVE${label} ${sm / 100}\nDCGM_FI_PROF_PCIE_RX_BYTES${label} ${rx * 1e6}`;
    });
    const cause = (text: string): readonly string[] => {
      const set = new SeriesSet();
      const reader = new SeriesReader(set, null);
      text.split('\n').forEach((line, index) => reader.line(line, index + 1));
      reader.end();
      set.settle();
      return findingsOf(set).map((each) => `${each.kind} ${each.cause}`);
    };
    expect(cause(dcgm.join('\n'))).toEqual(cause(dmon.join('\n')));
  });
});
