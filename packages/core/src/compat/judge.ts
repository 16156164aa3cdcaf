import type { Knowledge } from '../knowledge/knowledge.ts';
import { judgeAsked } from './asked.ts';
import { judgeClaim } from './claims/judge-claim.ts';
import { putTogether } from './each.ts';
import type { Judgement } from './judgement.ts';
import type { Question } from './question.ts';
import { judgeQuestion } from './run.ts';

/**
 * Judges a question or a claim. Pure: the same question and tables give the same judgement. A claim is judged as a
 * claim, whatever else the question holds; a question about several hosts or programs is judged for each of them.
 */
export function judge(question: Question, knowledge: Knowledge): Judgement {
  if (question.claim !== undefined) {
    const judgement = judgeClaim(question.claim, knowledge);
    return question.id === undefined ? judgement : { ...judgement, id: question.id };
  }
  const { each, ...shared } = question;
  if (each !== undefined && each.length > 0) {
    const parts = each.map((part) => ({ part, judgement: judge({ ...shared, ...part }, knowledge) }));
    return putTogether(shared, parts);
  }
  return question.asks === undefined ? judgeQuestion(question, knowledge) : judgeAsked(question, knowledge);
}
