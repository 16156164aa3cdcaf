import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Decision, Outcome } from '../gate/decision.ts';
import { finding, mismatchRule } from '../gate/testing.ts';
import { gateJson } from './gate-json.ts';
import { failureLine, gateLine } from './gate-line.ts';
import { npdAnswer } from './npd-report.ts';
import { prometheusReport } from './prometheus-report.ts';

function decision(outcome: Outcome, more: Partial<Decision> = {}): Decision {
  const held = outcome === 'held' ? [{ hold: 'seen-once' as const, why: 'seen once' }] : [];
  const items =
    outcome === 'ok' || outcome === 'unknown'
      ? []
      : [{ finding: finding([3, 9]), action: outcome === 'warn' ? ('warn' as const) : ('enforce' as const), held }];
  return { outcome, headline: 'nothing is wrong here', items, notes: [], complete: true, ...more };
}

describe('the line', () => {
  it.each<[Decision, string]>([
    [decision('ok'), 'culprit: ok: nothing is wrong here'],
    [decision('enforced'), `culprit: fail: ${mismatchRule}: module 570.124.06, library 570.133.20`],
    [decision('held'), `culprit: held: ${mismatchRule}: 570.124.06, 570.133.20 [seen once]`],
    [
      decision('ok', { notes: ['policy not readable: report only'] }),
      'culprit: ok: nothing is wrong here [policy not readable: report only]',
    ],
    [
      decision('ok', { headline: `there is no GPU here: ${'none on any bus, '.repeat(8)}and nothing asks for one` }),
      'culprit: ok: there is no GPU here',
    ],
  ])('%#', (given, line) => {
    expect(gateLine(given)).toBe(line);
  });

  it('has at most 100 printable ASCII characters, whatever it says, and names the outcome', () => {
    const text = fc.oneof(fc.string({ maxLength: 300 }), fc.string({ unit: 'binary', maxLength: 300 }));
    fc.assert(
      fc.property(
        text,
        fc.array(text, { maxLength: 5 }),
        fc.constantFrom('ok', 'held', 'enforced', 'warn', 'unknown'),
        fc.constantFrom(80, 100),
        (words, notes, outcome, width) => {
          const base = decision(outcome as Outcome, { headline: words, notes });
          const given = {
            ...base,
            items: base.items.map((item) => ({ ...item, finding: { ...item.finding, message: words } })),
          };
          const line = gateLine(given, width);
          expect(line.length).toBeLessThanOrEqual(width);
          expect(line).toMatch(/^[ -~]*$/);
          expect(line.startsWith(`culprit: ${outcome === 'enforced' ? 'fail' : outcome}: `)).toBe(true);
          expect(failureLine(words, width)).toMatch(/^culprit: no verdict: [ -~]{0,79}$/);
        },
      ),
    );
  });
});

describe('node-problem-detector', () => {
  it.each<[Outcome, boolean, number]>([
    ['ok', true, 0],
    ['warn', true, 0],
    ['held', true, 0],
    ['enforced', true, 1],
    ['unknown', true, 2],
    ['warn', false, 2],
  ])('%s (probe complete: %s) has status %i', (outcome, complete, status) => {
    const answer = npdAnswer(decision(outcome, { complete }));
    expect(answer.status).toBe(status);
    expect(answer.message.length).toBeLessThanOrEqual(80);
  });
});

describe('metrics', () => {
  const made = prometheusReport({
    decision: decision('held'),
    version: '1"\\\n',
    knowledge: { asOf: '2026-11-30', digest: 'sha256:0' },
    at: 1796025600.4,
    took: 0.1234,
  });
  it('have help and type before their samples, escaped labels and no time stamps', () => {
    const lines = made.trimEnd().split('\n');
    let current = '';
    for (const line of lines) {
      const help = /^# HELP (\S+) \S/.exec(line);
      if (help !== null) current = help[1]!;
      else if (line.startsWith('# TYPE ')) expect(line).toBe(`# TYPE ${current} gauge`);
      else
        expect(line).toMatch(
          new RegExp(`^${current}(?:\\{(?:[a-z_]+="(?:[^"\\\\\\n]|\\\\[\\\\"n])*",?)+\\})? [0-9.]+$`),
        );
    }
    expect(made).toContain(
      `culprit_finding{rule="${mismatchRule}",layer="driver",certainty="proved",action="held",hold="seen-once"} 1`,
    );
    expect(made).toContain('culprit_check_timestamp_seconds 1796025600\n');
    expect(made).toContain('culprit_check_outcome{outcome="held"} 1\n');
    expect(made.endsWith('\n')).toBe(true);
  });
});

describe('JSON', () => {
  it('is one line with the reasons', () => {
    const text = gateJson(decision('held'), { asOf: '2026-11-30', digest: 'sha256:0' });
    expect(text.trimEnd()).not.toContain('\n');
    expect(JSON.parse(text)).toMatchObject({
      schema: 'culprit/gate@1',
      outcome: 'held',
      items: [{ held: [{ hold: 'seen-once' }] }],
    });
  });
});
