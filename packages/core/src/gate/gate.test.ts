import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readBreaker } from './breaker.ts';
import type { GateInput, Hold } from './decision.ts';
import { decide, wantsSecondLook } from './decision.ts';
import type { Policy } from './policy.ts';
import { actionOf, readPolicy, reportOnly, silenceOf } from './policy.ts';
import { readingOf, sourcesOf } from './reading.ts';
import { counts, nextState, readState } from './state.ts';
import { finding, mismatchRule, probeText, reading, verdict } from './testing.ts';

const now = Date.parse('2026-11-30T08:00:00Z');
const known = [mismatchRule, 'driver/nouveau-owns-gpu', 'fabric/fabric-manager-not-running'];

function policy(content: object): Policy {
  const read = readPolicy(JSON.stringify({ schema: 'culprit/gate-policy@1', ...content }), known);
  if (!read.ok) throw new Error(read.why);
  return read.policy;
}

const enforcing = policy({ rules: { [mismatchRule]: 'enforce' } });
const fault = verdict([finding([3, 9])]);

function input(more: Partial<GateInput> = {}): GateInput {
  const look = reading(fault);
  return {
    policy: enforcing,
    reading: look,
    second: look,
    state: null,
    breaker: null,
    boot: 'b',
    nowMs: now,
    notes: [],
    ...more,
  };
}

const holds = (given: GateInput): readonly Hold[] =>
  decide(given).items.flatMap((item) => item.held.map((each) => each.hold));

describe('the decision', () => {
  it('enforces what is allowed, proved, of two sources, outside a roll-out and seen twice', () => {
    expect(decide(input())).toMatchObject({ outcome: 'enforced', items: [{ action: 'enforce', held: [] }], notes: [] });
  });

  it.each<[string, Partial<GateInput>, Hold]>([
    ['it was seen once', { second: null }, 'seen-once'],
    ['the second look does not show it', { second: reading(verdict([])) }, 'seen-once'],
    [
      'the second look shows another value',
      { second: reading(verdict([finding([3, 9], { message: 'the module is 1' })])) },
      'seen-once',
    ],
    ['it is only likely', both(finding([3, 9], { certainty: 'likely' })), 'not-proved'],
    ['one part of the system says all of it', both(finding([3, 6])), 'one-source'],
    ['one line says all of it', both(finding([12])), 'one-source'],
    ['the developer has to act', both(finding([3, 9], { owner: 'developer' })), 'not-the-node'],
    ['the machine was started a moment ago', rollout(['uptime 59.12']), 'rollout'],
    ['how long the machine is up is not known', rollout([]), 'rollout'],
    ['a package manager runs', rollout(['uptime 90000', '812 dpkg']), 'rollout'],
    ['the installer runs', rollout(['uptime 90000', '812 nvidia-installe']), 'rollout'],
    ['a module is being loaded', rollout(['uptime 90000', '/sys/module/nvidia/initstate coming']), 'rollout'],
    [
      'the operator has taken its mark away',
      rollout(['uptime 90000', '/run/nvidia/validations', '/run/nvidia/validations/toolkit-ready']),
      'rollout',
    ],
    ['the breaker is open', { breaker: { open: true, why: 'breaker open' } }, 'breaker'],
    [
      'it is silenced',
      {
        policy: { ...enforcing, silences: policy({ silences: [{ rule: 'driver/*', until: '2026-11-30' }] }).silences },
      },
      'silenced',
    ],
  ])('holds when %s', (_, more, hold) => {
    expect(decide(input(more)).outcome).toBe('held');
    expect(holds(input(more))).toEqual([hold]);
  });

  function both(one: ReturnType<typeof finding>): Partial<GateInput> {
    const look = reading(verdict([one]));
    // What is not proved is not seen twice either; that is beside the point here.
    return {
      reading: look,
      second: look,
      ...(one.certainty === 'likely' ? { state: seenBefore(one.message) } : {}),
      ...(one.certainty === 'likely' ? { second: null } : {}),
    };
  }
  function rollout(lines: readonly string[]): Partial<GateInput> {
    return { reading: reading(fault, lines) };
  }
  function seenBefore(message: string): GateInput['state'] {
    return {
      schema: 'culprit/gate-state@1',
      at: '2026-11-30T07:00:00Z',
      boot: 'b',
      seen: [{ rule: mismatchRule, message, since: '2026-11-30T07:00:00Z' }],
    };
  }

  it('goes on while the operator has its marks', () => {
    const lines = [
      'uptime 90000',
      '/run/nvidia/validations',
      '/run/nvidia/validations/driver-ready',
      '77 nvidia-driver',
    ];
    expect(decide(input(rollout(lines))).outcome).toBe('enforced');
  });

  it('takes an earlier run of this boot as first reading, unless the second look says otherwise', () => {
    const state = seenBefore(fault.headline);
    expect(decide(input({ second: null, state })).outcome).toBe('enforced');
    expect(holds(input({ second: null, state, boot: 'c' }))).toEqual(['seen-once']);
    expect(holds(input({ second: null, state: { ...state!, at: '2026-11-01T00:00:00Z' } }))).toEqual(['seen-once']);
    expect(holds(input({ second: reading(verdict([])), state }))).toEqual(['seen-once']);
  });

  it('wants a second look only where nothing else holds', () => {
    expect(wantsSecondLook(decide(input({ second: null })))).toBe(true);
    expect(wantsSecondLook(decide(input({ second: null, breaker: { open: true, why: null } })))).toBe(false);
    expect(wantsSecondLook(decide(input({ second: null, policy: reportOnly })))).toBe(false);
  });

  it('without a policy tells and enforces nothing', () => {
    expect(decide(input({ policy: reportOnly }))).toMatchObject({ outcome: 'warn', items: [{ held: [] }] });
  });

  it('says nothing of what is off, and does not call it a fault', () => {
    const off = decide(input({ policy: policy({ rules: { 'driver/*': 'off' } }) }));
    expect(off).toMatchObject({ outcome: 'ok', items: [], headline: 'nothing that the policy tells' });
  });

  it('never enforces a possibility, and is not sure of health when the probe was cut short', () => {
    const perhaps = verdict([finding([3, 9], { certainty: 'possible' })], { status: 'cannot-tell', certainty: null });
    expect(decide(input({ reading: reading(perhaps) }))).toMatchObject({ outcome: 'unknown', items: [] });
    const cut = decide(input({ reading: reading(verdict([]), ['uptime 9'], '@culprit-end stopped=budget') }));
    expect(cut).toMatchObject({ outcome: 'unknown', complete: false, notes: ['probe cut short'] });
  });

  it('tells a consequence not beside its cause', () => {
    const cause = finding([3, 9], { explains: ['hardware/*'] });
    const other = finding([12], { rule: 'hardware/gpu-fell-off-bus' });
    const look = reading(verdict([cause, other]));
    expect(decide(input({ reading: look, second: look })).items).toHaveLength(1);
  });

  it('says that a silence is over', () => {
    const ended = policy({
      rules: { [mismatchRule]: 'enforce' },
      silences: [{ rule: mismatchRule, until: '2026-11-29' }],
    });
    expect(decide(input({ policy: ended }))).toMatchObject({
      outcome: 'enforced',
      notes: ['silence ended 2026-11-29'],
    });
  });
});

describe('sources', () => {
  it('count once what the same part of the system said twice', () => {
    const look = readingOf(probeText(), fault);
    expect(sourcesOf(finding([3, 6]).evidence, look)).toEqual(['module']);
    expect(sourcesOf(finding([3, 9, 12]).evidence, look)).toEqual(['module', 'libraries', 'kernel log']);
  });
});

describe('a policy', () => {
  it('is decided by the most specific pattern', () => {
    const made = policy({ rules: { '*': 'off', 'driver/*': 'warn', [mismatchRule]: 'enforce' } });
    expect(actionOf(made, mismatchRule)).toBe('enforce');
    expect(actionOf(made, 'driver/nouveau-owns-gpu')).toBe('warn');
    expect(actionOf(made, 'fabric/fabric-manager-not-running')).toBe('off');
  });

  it.each([
    ['', 'no JSON'],
    ['[]', 'no JSON object'],
    ['{}', 'schema'],
    ['{"schema":"culprit/gate-policy@2"}', 'schema'],
    ['{"schema":"culprit/gate-policy@1","rule":{}}', 'unknown key rule'],
    ['{"schema":"culprit/gate-policy@1","rules":{"driver/*":"drain"}}', 'neither off, warn nor enforce'],
    ['{"schema":"culprit/gate-policy@1","rules":{"Driver":"warn"}}', 'no rule id'],
    ['{"schema":"culprit/gate-policy@1","silences":[{"rule":"driver/*"}]}', 'no end'],
    ['{"schema":"culprit/gate-policy@1","silences":[{"rule":"driver/*","until":"soon"}]}', 'no end'],
    ['{"schema":"culprit/gate-policy@1","rollout":{"minUptimeMinutes":"5"}}', 'no number'],
    ['{"schema":"culprit/gate-policy@1","rollout":{"uptime":5}}', 'unknown key uptime'],
    ['{"schema":"culprit/gate-policy@1","rollout":5}', 'no object'],
  ])('%s is none: %s', (text, why) => {
    const read = readPolicy(text, known);
    expect(read.ok ? '' : read.why).toContain(why);
  });

  it('names rules that there are none of', () => {
    const read = readPolicy(
      '{"schema":"culprit/gate-policy@1","rules":{"driver/nonesuch":"enforce","nccl/*":"off"}}',
      known,
    );
    expect(read.ok ? read.notes : null).toEqual(['policy: no rule driver/nonesuch', 'policy: no rule nccl/*']);
  });

  it('lets a silence last to the end of its day', () => {
    const made = policy({ silences: [{ rule: 'driver/*', until: '2026-11-30', because: 'change 4711' }] });
    expect(silenceOf(made, mismatchRule, Date.parse('2026-11-30T23:59:00Z'))?.because).toBe('change 4711');
    expect(silenceOf(made, mismatchRule, Date.parse('2026-12-01T00:00:00Z'))).toBeNull();
  });
});

describe('a breaker file', () => {
  const file = (content: object): string =>
    JSON.stringify({ schema: 'culprit/gate-breaker@1', at: '2026-11-30T07:30:00Z', ...content });
  it.each<[string, string | null, boolean]>([
    ['room for more', file({ enforced: 2, most: 3 }), false],
    ['closed by hand', file({ open: false }), false],
    ['as many as may be', file({ enforced: 3, most: 3 }), true],
    ['opened by hand', file({ open: true, because: 'freeze' }), true],
    ['too old', file({ at: '2026-11-30T06:00:00Z', enforced: 0, most: 3 }), true],
    ['of tomorrow', file({ at: '2026-12-01T08:00:00Z', enforced: 0, most: 3 }), true],
    ['without counts', file({}), true],
    ['with words for counts', file({ enforced: 'few', most: 3 }), true],
    ['no JSON', 'x', true],
    ['not there', null, true],
  ])('%s', (_, text, open) => {
    expect(readBreaker(text, now, 60).open).toBe(open);
  });
});

describe('a state', () => {
  it('comes back as it was and keeps when a fault was first seen', () => {
    const first = nextState(null, [fault.findings[0]!], '2026-11-30T07:00:00Z', 'b');
    const again = readState(JSON.stringify(first));
    expect(again).toEqual(first);
    expect(nextState(again, [fault.findings[0]!], '2026-11-30T08:00:00Z', 'b').seen[0]!.since).toBe(
      '2026-11-30T07:00:00Z',
    );
    expect(nextState(again, [fault.findings[0]!], '2026-11-30T08:00:00Z', 'c').seen[0]!.since).toBe(
      '2026-11-30T08:00:00Z',
    );
    expect(counts(first, 'b', now, 90)).toBe(true);
    expect(counts(first, 'b', now, 30)).toBe(false);
    expect(counts(first, null, now, 90)).toBe(false);
  });
});

describe('files of strangers', () => {
  it('never throw', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.jsonValue().map((value) =>
            JSON.stringify({
              schema: 'culprit/gate-policy@1',
              rules: value,
              silences: value,
              rollout: value,
              seen: value,
              at: value,
              enforced: value,
            }),
          ),
        ),
        (text) => {
          readPolicy(text, known);
          readBreaker(text, now, 60);
          readState(text);
          readingOf(text, fault);
        },
      ),
    );
  });
});
