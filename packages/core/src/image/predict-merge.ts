// One prediction from every way in which a container can be started.
import type { Prediction } from './model.ts';
import type { Pass } from './predict-pass.ts';

/**
 * Puts the ways together: what they agree on stands, what they differ in is null, and what would decide is named.
 * @param on the keys of the node
 */
export function mergedPrediction(
  passes: readonly Pass[],
  on: Prediction['on'],
  name: string | undefined,
  unknown: readonly string[],
): Prediction {
  const first = passes[0];
  if (first === undefined) throw new Error('a node without any way to start');
  const same = <T>(pick: (pass: Pass) => T): T | null => {
    const value = pick(first);
    const key = JSON.stringify(value);
    return passes.every((pass) => JSON.stringify(pick(pass)) === key) ? value : null;
  };
  const ruling = rulingOf(passes);
  const terms = first.requirement.terms.map((term) => {
    const truths = new Set(
      passes.map((pass) => pass.requirement.terms.find((other) => other.term === term.term)?.holds ?? null),
    );
    return truths.size === 1 ? term : { term: term.term, holds: null };
  });
  return {
    on,
    mode: same((pass) => pass.start.mode),
    requirement: {
      checked: same((pass) => pass.requirement.checked),
      holds: same((pass) => pass.requirement.holds),
      terms,
    },
    starts: same((pass) => pass.starts),
    compat: { used: same((pass) => pass.compat.used), by: same((pass) => pass.compat.by) },
    libcuda: {
      kind: same((pass) => pass.libcuda.kind),
      version: same((pass) => pass.libcuda.version),
      path: same((pass) => pass.libcuda.path),
    },
    ...ruling,
    unknown: [...new Set([...ruling.unknown, ...unknown])],
    injects: same((pass) => pass.injects),
    ...(name === undefined ? {} : { node: name }),
  };
}

type Ruled = Pick<
  Prediction,
  'answer' | 'rule' | 'errorSeen' | 'unknown' | 'message' | 'conditions' | 'needs' | 'clauses'
>;

const badness = ['runs', 'runs-if', 'cannot-tell', 'does-not-run'] as const;

function rulingOf(passes: readonly Pass[]): Ruled {
  const first = passes[0]!;
  const deciders = differing(passes);
  const answers = new Set(passes.map((pass) => pass.answer));
  const unknown = [...new Set(passes.flatMap((pass) => pass.unknown))];
  if (answers.size === 1) {
    const errors = new Set(passes.map((pass) => pass.errorSeen));
    if (errors.size === 1 && new Set(passes.map((pass) => pass.rule)).size === 1) return { ...picked(first), unknown };
    // The same answer for different reasons: the ways are told in the message.
    return {
      ...picked(first),
      rule: new Set(passes.map((pass) => pass.rule)).size === 1 ? first.rule : null,
      errorSeen: errors.size === 1 ? first.errorSeen : null,
      message: waysText(passes, (pass) => pass.message),
      needs: [...new Set(passes.flatMap((pass) => pass.needs ?? []))].join('; ') || null,
      conditions: [...new Set(passes.flatMap((pass) => pass.conditions))],
      unknown: first.answer === 'runs' ? unknown : [...new Set([...unknown, ...deciders])],
    };
  }
  const worst = passes.reduce((a, b) => (badness.indexOf(b.answer) > badness.indexOf(a.answer) ? b : a));
  if (worst.answer === 'runs-if' || (worst.answer === 'cannot-tell' && !answers.has('does-not-run')))
    return { ...picked(worst), unknown: [...new Set([...unknown, ...deciders])] };
  const reasons = passes.flatMap((pass) => pass.unsure ?? []);
  return {
    ...picked(worst),
    answer: 'cannot-tell',
    errorSeen: null,
    conditions: [],
    message: `it depends: ${waysText(passes, (pass) => `${pass.answer}, ${pass.message}`)}`,
    needs: [...new Set([...deciders, ...reasons])].join(', ') || worst.needs,
    unknown: [...new Set([...unknown, ...deciders, ...reasons])],
    clauses: worst.clauses.map((clause) => (clause.holds === false ? { ...clause, holds: null } : clause)),
  };
}

function picked(pass: Pass): Ruled {
  const { answer, rule, errorSeen, unknown, message, conditions, needs, clauses } = pass;
  return { answer, rule, errorSeen, unknown, message, conditions, needs, clauses };
}

/** Each text once, with the modes in which it holds. */
function waysText(passes: readonly Pass[], textOf: (pass: Pass) => string): string {
  const ways = new Map<string, Set<string>>();
  for (const pass of passes) {
    const text = textOf(pass);
    ways.set(text, (ways.get(text) ?? new Set()).add(wayOf(pass)));
  }
  const [only] = ways.keys();
  if (ways.size === 1 && only !== undefined) return only;
  return [...ways]
    .slice(0, 4)
    .map(([text, names]) => `${text} (${[...names].slice(0, 3).join('; ')}${names.size > 3 ? '; …' : ''})`)
    .join(' | ');
}

function wayOf(pass: Pass): string {
  return pass.unsure === null
    ? pass.start.name
    : `${pass.start.name}, libcuda ${pass.libcuda.kind ?? ''} ${pass.libcuda.version ?? ''}`.trim();
}

/** Keys whose value would change what comes out. */
function differing(passes: readonly Pass[]): readonly string[] {
  const outcome = (pass: Pass): string => `${pass.answer} ${pass.errorSeen ?? ''} ${pass.libcuda.kind ?? ''}`;
  const keys: readonly (readonly [string, (pass: Pass) => string])[] = [
    ['injection mode', (pass) => pass.start.mode],
    ['container toolkit version', (pass) => pass.start.toolkit.join('.')],
    [
      'driver library folder of the host (libdir)',
      (pass) => (pass.start.mode === 'legacy' ? '' : (pass.start.folder ?? '')),
    ],
    ['GPU model', (pass) => `${pass.gpu?.name ?? ''} ${String(pass.gpu?.sm)}`],
  ];
  const found: string[] = [];
  for (const [label, keyOf] of keys) {
    const values = new Set(passes.map(keyOf));
    if (values.size < 2) continue;
    const others = keys.filter(([other]) => other !== label).map(([, pick]) => pick);
    // Two ways that differ in this key alone, and come to something else.
    const groups = new Map<string, Set<string>>();
    for (const pass of passes) {
      const group = others.map((pick) => pick(pass)).join('|');
      groups.set(group, (groups.get(group) ?? new Set()).add(`${keyOf(pass)}>${outcome(pass)}`));
    }
    const decides = [...groups.values()].some(
      (group) => new Set([...group].map((each) => each.slice(each.indexOf('>')))).size > 1,
    );
    if (decides) found.push(label);
  }
  return found;
}
