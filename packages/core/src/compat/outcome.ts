import { judgementRules } from './judgement.ts';
import type { Judgement, JudgementRule, RunAnswer } from './judgement.ts';
import type { Question } from './question.ts';
import { toClause } from './step.ts';
import type { Step } from './step.ts';
import type { Tables } from './tables.ts';

/** What one pass over the rules came to. */
export interface Outcome {
  readonly answer: RunAnswer;
  readonly rule: JudgementRule;
  readonly message: string;
  readonly steps: readonly Step[];
  readonly conditions: readonly string[];
  readonly error: string | null;
  readonly needs: string | null;
  readonly unknown: readonly string[];
  /** What tells this pass from the others. */
  readonly name: string | null;
}

/**
 * Puts the steps together: the first that fails decides; else the first whose truth is missing; else it runs, by the
 * rule that had to be used (`named` is the one to name when backward compatibility would do).
 */
export function outcomeOf(steps: readonly Step[], named: JudgementRule, name: string | null): Outcome {
  const unknown = steps.flatMap((step) => (step.open?.missing === undefined ? [] : [step.open.missing]));
  const failed = steps.find((step) => step.decides && step.holds === false);
  if (failed !== undefined) {
    return {
      answer: 'does-not-run',
      rule: failed.rule,
      message: failed.message,
      steps,
      conditions: [],
      error: failed.error ?? null,
      needs: failed.needs ?? null,
      unknown,
      name,
    };
  }
  const open = steps.filter((step) => step.decides && step.open !== undefined);
  const first = open.find((step) => step.open?.as === 'cannot-tell') ?? open[0];
  if (first?.open !== undefined) {
    const answer = first.open.as;
    return {
      answer,
      rule: first.open.rule ?? first.rule,
      message: first.message,
      steps,
      conditions: answer === 'runs-if' ? open.map((step) => step.open?.needs ?? '') : [],
      error: first.error ?? null,
      needs: first.open.needs,
      unknown,
      name,
    };
  }
  const used = successRule(steps, named);
  const last = steps.findLast((step) => step.rule === used) ?? steps.at(-1);
  return {
    answer: 'runs',
    rule: used,
    message: last?.message ?? '',
    steps,
    conditions: [],
    error: null,
    needs: null,
    unknown,
    name,
  };
}

/** Machine code or PTX is named only where the question is about code; minor version compatibility goes before it. */
function successRule(steps: readonly Step[], named: JudgementRule): JudgementRule {
  if (named !== 'backward' && named !== 'binary-arch') return named;
  const has = (rule: JudgementRule): boolean => steps.some((step) => step.rule === rule && step.holds === true);
  if (has('ptx-jit')) return 'ptx-jit';
  if (has('minor-version') && steps.some((step) => step.rule === 'backward' && step.holds === false))
    return 'minor-version';
  return named;
}

const severity: readonly RunAnswer[] = ['runs', 'runs-if', 'cannot-tell', 'does-not-run'];

/**
 * One answer from several passes. All the same: that one, by the rule asked first. Runs in each, in some on a
 * condition: runs-if. Runs in some and fails in others: cannot tell, and what is not known is named.
 */
export function merge(outcomes: readonly Outcome[]): Outcome {
  const [first, ...rest] = outcomes;
  if (first === undefined) return outcomeOf([], 'minimum-driver', null);
  if (rest.length === 0) return first;
  const answers = new Set(outcomes.map((one) => one.answer));
  const worst = outcomes.reduce((a, b) => (severity.indexOf(b.answer) > severity.indexOf(a.answer) ? b : a));
  if (answers.size === 1) {
    return outcomes.reduce((a, b) => (judgementRules.indexOf(b.rule) < judgementRules.indexOf(a.rule) ? b : a));
  }
  if (worst.answer === 'runs-if' || (worst.answer === 'cannot-tell' && !answers.has('does-not-run'))) return worst;
  const names = outcomes
    .map((one) => (one.name === null ? null : `${one.answer} with ${one.name}`))
    .filter((name) => name !== null);
  return {
    ...worst,
    answer: 'cannot-tell',
    message: `it depends on what is not given: ${[...new Set(names)].slice(0, 8).join('; ')}`,
    conditions: [],
    error: null,
    needs: whatDiffers(outcomes),
    unknown: [...new Set([...outcomes.flatMap((one) => one.unknown), whatDiffers(outcomes)])],
    steps: worst.steps.map((step) => (step === deciding(worst) ? { ...step, holds: null } : step)),
  };
}

function deciding(outcome: Outcome): Step | undefined {
  return outcome.steps.find((step) => step.decides && step.holds === false);
}

function whatDiffers(outcomes: readonly Outcome[]): string {
  const names = outcomes.map((one) => one.name ?? '');
  const what = [];
  if (names.some((name) => name.includes('container toolkit')))
    what.push('injection mode and container toolkit version');
  if (names.some((name) => name.includes('+cu'))) what.push('the release and CUDA variant of the wheel');
  else if (names.some((name) => / (?:from|below|for) [\dc]/.test(name)))
    what.push('the release and build of the wheel');
  if (names.some((name) => name.includes('('))) what.push('the GPU model');
  return what.length === 0 ? 'which of the possible builds it is' : what.join(', ');
}

/** The public form. */
export function toJudgement(question: Question, outcome: Outcome, tables: Tables): Judgement {
  return {
    schema: 'culprit/judgement@1',
    ...(question.id === undefined ? {} : { id: question.id }),
    answer: outcome.answer,
    rule: outcome.rule,
    message: outcome.message,
    conditions: [...new Set(outcome.conditions)],
    clauses: outcome.steps.map(toClause),
    errorSeen: outcome.error,
    needs: outcome.needs,
    unknown: [...new Set(outcome.unknown)],
    asOf: tables.asOf,
  };
}
