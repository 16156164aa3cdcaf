import type { Judgement } from '@culprit/core/compat/judgement';

/** How an answer reads, its colour, and its letter in a table. */
export const answers: Readonly<
  Record<Judgement['answer'], { readonly words: string; readonly tone: string; readonly sign: string }>
> = {
  runs: { words: 'runs', tone: 'good', sign: '✓' },
  'runs-if': { words: 'runs on a condition', tone: 'slow', sign: '(✓)' },
  'does-not-run': { words: 'does not run', tone: 'bad', sign: '✗' },
  'cannot-tell': { words: 'cannot tell', tone: 'doubt', sign: '?' },
  true: { words: 'true', tone: 'good', sign: '✓' },
  false: { words: 'false', tone: 'bad', sign: '✗' },
  depends: { words: 'it depends', tone: 'slow', sign: '(✓)' },
};
