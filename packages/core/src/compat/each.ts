import { judgementRules } from './judgement.ts';
import type { Judgement } from './judgement.ts';
import type { Question } from './question.ts';

/** One host or program of a question about several, and what was judged of it. */
export interface JudgedPart {
  readonly part: Question;
  readonly judgement: Judgement;
}

/**
 * One answer for several hosts or programs. The same for all: that answer. Runs on some and not on others: `runs-if`,
 * and the message says where. Anything that cannot be told makes the whole cannot-tell, unless what is known differs.
 */
export function putTogether(shared: Question, parts: readonly JudgedPart[]): Judgement {
  const [first] = parts;
  if (first === undefined) throw new Error('a question about several names none');
  const rest = parts.slice(1);
  if (rest.length === 0) return first.judgement;
  const answers = new Set(parts.map(({ judgement }) => judgement.answer));
  const lead = leading(parts);
  const message = parts
    .map(({ part, judgement }) => `${partLabel(part)}: ${judgement.answer} (${judgement.message})`)
    .join('; ');
  const base = {
    ...lead,
    ...(shared.id === undefined ? {} : { id: shared.id }),
    message,
    clauses: parts.flatMap(({ part, judgement }) =>
      judgement.clauses.map((clause) => ({ ...clause, message: `${partLabel(part)}: ${clause.message}` })),
    ),
    unknown: [...new Set(parts.flatMap(({ judgement }) => judgement.unknown))],
  };
  if (answers.size === 1)
    return { ...base, conditions: [...new Set(parts.flatMap(({ judgement }) => judgement.conditions))] };
  const fails = parts.filter(({ judgement }) => judgement.answer === 'does-not-run');
  const works = parts.filter(({ judgement }) => judgement.answer === 'runs' || judgement.answer === 'runs-if');
  if (works.length === 0 || (fails.length === 0 && answers.has('cannot-tell')))
    return { ...base, answer: 'cannot-tell', conditions: [], errorSeen: null };
  const conditions =
    fails.length === 0
      ? [...new Set(works.flatMap(({ judgement }) => judgement.conditions))]
      : [`${works.map(({ part }) => partLabel(part)).join(', ')} only`];
  return {
    ...base,
    answer: 'runs-if',
    conditions,
    errorSeen: lead.errorSeen,
    needs: lead.needs ?? conditions[0] ?? null,
  };
}

/** The judgement whose rule and needs are shown: what fails before what is open, by the rule asked first. */
function leading(parts: readonly JudgedPart[]): Judgement {
  const order = ['does-not-run', 'cannot-tell', 'runs-if', 'runs'];
  return parts
    .map(({ judgement }) => judgement)
    .reduce((a, b) => {
      const answer = order.indexOf(a.answer) - order.indexOf(b.answer);
      const rule = judgementRules.indexOf(a.rule) - judgementRules.indexOf(b.rule);
      return answer > 0 || (answer === 0 && rule > 0) ? b : a;
    });
}

/** How a message calls a part: what it has of its own. */
function partLabel(part: Question): string {
  const wheel = part.wheel;
  const program =
    wheel !== undefined
      ? [wheel.name, wheel.version, wheel.variant].filter((one) => one !== undefined).join(' ')
      : part.toolkit === undefined
        ? null
        : `CUDA ${part.toolkit}`;
  return (
    [program, part.gpu ?? part.computeCapability ?? null, part.driver === undefined ? null : `driver ${part.driver}`]
      .filter((one) => one !== null)
      .join(', ') || 'the rest'
  );
}
