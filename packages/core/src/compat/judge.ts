import type { Knowledge } from '../knowledge/knowledge.ts';
import { judgeClaim } from './claims/judge-claim.ts';
import type { Judgement } from './judgement.ts';
import type { Question } from './question.ts';
import { judgeQuestion } from './run.ts';

/**
 * Judges a question or a claim. Pure: the same question and tables give the same judgement. A claim is judged as a
 * claim, whatever else the question holds.
 */
export function judge(question: Question, knowledge: Knowledge): Judgement {
  if (question.claim === undefined) return judgeQuestion(question, knowledge);
  const judgement = judgeClaim(question.claim, knowledge);
  return question.id === undefined ? judgement : { ...judgement, id: question.id };
}
