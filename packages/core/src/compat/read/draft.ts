import type { Question } from '../question.ts';

/** A question while it is being read. */
export type Draft = { -readonly [Key in keyof Question]: Question[Key] };
