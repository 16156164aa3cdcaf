import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { examine } from '../packages/core/src/diagnose/diagnose.ts';
import { createDocument } from '../packages/core/src/text/document.ts';
import { compareSides, sideOf } from '../packages/core/src/utilization/compare.ts';
import { defaultThresholds } from '../packages/core/src/utilization/thresholds.rows.ts';
import { defaultKnowledge } from '../packages/core/src/knowledge/knowledge.ts';
import { verdictFor } from '../packages/core/src/rules/testing.ts';
import { findingsOf } from '../packages/core/src/utilization/findings.ts';
import { SeriesReader } from '../packages/core/src/utilization/reader.ts';
import { SeriesSet } from '../packages/core/src/utilization/series-set.ts';
import type { Series } from './series-generator.ts';
import { dmonText, exporterText, pmonText, queryText, scenarioNames, seriesOf } from './series-generator.ts';

const everything = ['pwr', 'gtemp', 'sm', 'mem', 'enc', 'dec', 'mclk', 'pclk', 'fb', 'rxpci', 'txpci'];

/** Counters that changed from one series to the other. */
function changedIn(one: SeriesSet, other: SeriesSet): readonly string[] {
  return compareSides(sideOf('before', one), sideOf('after', other), defaultThresholds)
    .filter(({ state }) => state === 'changed')
    .map(({ metric }) => metric);
}

/** What each scenario needs to be told at all; the others are told from dmon alone. */
function textsOf(series: Series): readonly string[] {
  const clock = series.gpus[0]![0]!;
  const measured = clock['reasons'] !== undefined || clock['width'] !== undefined;
  return [
    dmonText(series, everything, true),
    pmonText(series),
    ...(measured ? [queryText(series)] : []),
    ...(clock['smact'] !== undefined || clock['nvrx'] !== undefined ? [exporterText(series, 1)] : []),
  ];
}

function leading(texts: readonly string[]): { readonly cause: string; readonly kind: string } {
  const set = new SeriesSet();
  texts.forEach((text, file) => {
    const reader = new SeriesReader(set, `file${file}`);
    text.split('\n').forEach((line, at) => reader.line(line, at + 1));
    reader.end();
  });
  const found = findingsOf(set).toSorted((a, b) => rank(a.kind, a.certainty) - rank(b.kind, b.certainty));
  return found[0] ?? { cause: 'nothing', kind: 'nothing' };
}

function rank(kind: string, certainty: string): number {
  return kind === 'fault' && certainty !== 'possible' ? 0 : kind === 'healthy' ? 2 : 1;
}

describe('a series whose truth is known', () => {
  it.each(scenarioNames)('%s', (name) => {
    const wrong: string[] = [];
    for (let seed = 1; seed <= 4; seed++) {
      const series = seriesOf(name, seed);
      const { cause, kind } = leading(textsOf(series));
      if (!series.accepted.includes(cause)) wrong.push(`seed ${seed}: ${kind} ${cause}`);
    }
    expect(wrong).toEqual([]);
  });
});

function setOf(texts: readonly string[], thresholds: Readonly<Record<string, number>> = defaultThresholds): SeriesSet {
  const set = new SeriesSet(thresholds);
  texts.forEach((text, file) => {
    const reader = new SeriesReader(set, `file${file}`);
    text.split('\n').forEach((line, at) => reader.line(line, at + 1));
    reader.end();
  });
  return set;
}

describe('the verdict on a series', () => {
  it.each([
    ['input-bound', 'input-pipeline-bound', 'performance'],
    ['hung-kernel', 'hung-kernel-app-deadlock', 'not-stack-fault'],
    ['slow-gpu', 'straggler-gpu', 'performance'],
    ['well-used', 'ok-well-used', 'ok'],
    ['bursts', 'ok-bursty-inference', 'ok'],
  ])('%s is %s, pasted or streamed', (name, cause, status) => {
    const text = dmonText(seriesOf(name, 2), everything, true);
    const pasted = verdictFor(text);
    const streamed = examine([], defaultKnowledge, setOf([text])).verdict;
    expect([pasted.cause, pasted.status]).toEqual([cause, status]);
    expect([streamed.cause, streamed.status]).toEqual([cause, status]);
    const both = examine([createDocument(text)], defaultKnowledge, setOf([text])).verdict;
    expect(both.headline).toBe(pasted.headline);
  });

  it('says which threshold decides, and takes another', () => {
    const text = exporterText(seriesOf('small-grids', 1), 1);
    expect(findingsOf(setOf([text])).map((each) => each.cause)).toContain('busy-label-idle-sms');
    const other = findingsOf(setOf([text], { ...defaultThresholds, 'low-sm': 1 }));
    expect(other.map((each) => each.cause)).not.toContain('busy-label-idle-sms');
  });

  it('asks for the counter that is missing where utilisation stands alone', () => {
    const text = dmonText(seriesOf('small-grids', 3), ['sm'], false);
    expect(verdictFor(text)).toMatchObject({ status: 'cannot-tell', cause: 'util-metric-not-exported' });
  });
});

describe('the same samples', () => {
  it('give the same means in any order of columns, as a table or as CSV', () => {
    const series = seriesOf('well-used', 5);
    const one = setOf([dmonText(series, everything, true)]);
    const other = setOf([dmonText(series, everything.toReversed(), false)]);
    const csv = setOf([
      dmonText(series, everything, false)
        .split('\n')
        .map((line) => line.trim().replace(/^# ?/, '#').replaceAll(/\s+/g, ', '))
        .join('\n'),
    ]);
    for (const set of [other, csv]) expect(changedIn(one, set)).toEqual([]);
    expect([...csv.gpus.values()].map((gpu) => gpu.rows)).toEqual([...one.gpus.values()].map((gpu) => gpu.rows));
  });

  it('never changed against themselves; against a hot GPU the clock did', () => {
    const base = setOf([dmonText(seriesOf('well-used', 1), everything, true)]);
    expect(changedIn(base, base)).toEqual([]);
    const slow = setOf([dmonText(seriesOf('thermal', 1), everything, true)]);
    expect(changedIn(base, slow)).toContain('sm-clock');
  });
});

describe('hostile input', () => {
  const sample = dmonText(seriesOf('slow-gpu', 1), everything, true).slice(0, 3000);
  const metrics = exporterText(seriesOf('well-used', 1), 60).slice(0, 3000);
  it.each([
    ['dmon', sample],
    ['exporter', metrics],
  ])('%s that is cut and changed never throws, and no number leaves its range', (_, text) => {
    fc.assert(
      fc.property(fc.nat(text.length), fc.string({ maxLength: 20 }), fc.nat(40), (at, put, drop) => {
        const set = setOf([text.slice(0, at) + put + text.slice(at + drop)]);
        findingsOf(set);
        const known = [...set.gpus.values()].flatMap((gpu) => gpu.all.filter((each) => each.count > 0));
        for (const each of known) expect(Number.isFinite(each.mean) && each.min <= each.max).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});
