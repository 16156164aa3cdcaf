import { judge } from '../packages/core/src/compat/judge.ts';
import { readQuestion } from '../packages/core/src/compat/read/read-question.ts';
import { defaultKnowledge as knowledge } from '../packages/core/src/knowledge/knowledge.ts';

const drivers = ['470.256.02', '525.60.13', '535.183.01', '550.54.15', '570.124.06', '580.65.06'];
const torches = ['2.1.0+cu118', '2.4.1+cu121', '2.7.0+cu128', '2.9.0+cu130'];
const gpus = ['V100', 'A100', 'H100', 'B200', 'RTX 4090', 'T4'];
const questions: readonly string[] = drivers.flatMap((driver) =>
  torches.flatMap((torch) => gpus.map((gpu) => `torch ${torch} on driver ${driver} with ${gpu}`)),
);

/** How often `ask` runs in a second, after as long a warm-up. */
function rate(milliseconds: number, ask: (at: number) => void): number {
  let count = 0;
  const until = (end: number): void => {
    while (performance.now() < end) for (let i = 0; i < 50; i++) ask(count++);
  };
  until(performance.now() + milliseconds);
  count = 0;
  const started = performance.now();
  until(started + milliseconds);
  return (count / (performance.now() - started)) * 1000;
}

/** Questions, given as data, that are judged in a second. */
export function judgedPerSecond(milliseconds: number): number {
  const read = questions.map((text) => readQuestion(text, knowledge).question);
  return rate(milliseconds, (at) => judge(read[at % read.length], knowledge));
}

/** Questions that are read from a typed line and judged in a second. */
export function typedPerSecond(milliseconds: number): number {
  return rate(milliseconds, (at) =>
    judge(readQuestion(questions[at % questions.length], knowledge).question, knowledge),
  );
}
