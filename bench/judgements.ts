import { judge } from '../packages/core/src/compat/judge.ts';
import { readQuestion } from '../packages/core/src/compat/read/read-question.ts';
import { defaultKnowledge as knowledge } from '../packages/core/src/knowledge/knowledge.ts';

const drivers = ['470.256.02', '525.60.13', '535.183.01', '550.54.15', '570.124.06', '580.65.06'];
const torches = ['2.1.0+cu118', '2.4.1+cu121', '2.7.0+cu128', '2.9.0+cu130'];
const gpus = ['V100', 'A100', 'H100', 'B200', 'RTX 4090', 'T4'];
const questions: readonly string[] = drivers.flatMap((driver) =>
  torches.flatMap((torch) => gpus.map((gpu) => `torch ${torch} on driver ${driver} with ${gpu}`)),
);

/** Questions that are read and judged in a second. */
export function perSecond(milliseconds: number): number {
  const ask = (at: number): void => {
    judge(readQuestion(questions[at % questions.length]!, knowledge).question, knowledge);
  };
  for (let i = 0; i < 500; i++) ask(i);
  const started = performance.now();
  let count = 0;
  while (performance.now() - started < milliseconds) {
    for (let i = 0; i < 50; i++) ask(count++);
  }
  return (count / (performance.now() - started)) * 1000;
}
