import type { Knowledge } from '../knowledge/knowledge.ts';
import { judgeQuestion } from './run.ts';
import type { Judgement, JudgementRule, RunAnswer } from './judgement.ts';
import type { Question } from './question.ts';
import { tablesOf } from './tables.ts';

/** What is known of a host: everything of a question but the program. */
export type HostQuestion = Pick<
  Question,
  | 'driver'
  | 'gpu'
  | 'computeCapability'
  | 'moduleFlavour'
  | 'compatPackage'
  | 'compatDriver'
  | 'compatOnPath'
  | 'compatNote'
  | 'os'
  | 'arch'
>;

/** One thing that could run there. */
export interface Candidate {
  /** `CUDA 12.8`, `torch 2.7 cu128`, `jax (cuda12)`. */
  readonly label: string;
  readonly kind: 'toolkit' | 'torch' | 'project';
  readonly answer: RunAnswer;
  readonly rule: JudgementRule;
  readonly needs: string | null;
}

/** What runs on a host. */
export interface Reverse {
  readonly schema: 'culprit/reverse@1';
  readonly host: HostQuestion;
  /** Is the host itself in order (branch, GPU, module flavour)? */
  readonly base: Judgement;
  readonly toolkits: readonly Candidate[];
  readonly torch: readonly Candidate[];
  readonly projects: readonly Candidate[];
  readonly asOf: string;
}

/** Which toolkits and builds run on a host, each with its rule; newest first. */
export function reverse(host: HostQuestion, knowledge: Knowledge): Reverse {
  const tables = tablesOf(knowledge);
  const toolkits = [...tables.toolkits.keys()].sort(byVersion).reverse();
  const torch = [...tables.torch.values()].flat();
  torch.sort((a, b) => byVersion(b.torch, a.torch) || byVersion(b.cuda, a.cuda));
  return {
    schema: 'culprit/reverse@1',
    host,
    base: baseOf(host, toolkits[0], knowledge),
    toolkits: toolkits.map((toolkit) =>
      candidate(`CUDA ${toolkit}`, 'toolkit', judgeQuestion({ ...host, toolkit }, knowledge)),
    ),
    torch: torch.map((row) =>
      candidate(
        `torch ${row.torch} ${row.variant}`,
        'torch',
        judgeQuestion({ ...host, wheel: { name: 'torch', version: row.torch, variant: row.variant } }, knowledge),
      ),
    ),
    projects: projectQuestions(knowledge).map(([label, question]) =>
      candidate(label, 'project', judgeQuestion({ ...host, ...question }, knowledge)),
    ),
    asOf: tables.asOf,
  };
}

/** A driver alone decides nothing: whether it is known at all shows with a toolkit. */
function baseOf(host: HostQuestion, toolkit: string | undefined, knowledge: Knowledge): Judgement {
  const base = judgeQuestion(host, knowledge);
  if (base.answer !== 'cannot-tell' || (host.gpu ?? host.computeCapability) !== undefined || toolkit === undefined)
    return base;
  const tried = judgeQuestion({ ...host, toolkit }, knowledge);
  return tried.answer === 'cannot-tell' ? tried : base;
}

function candidate(label: string, kind: Candidate['kind'], judgement: Judgement): Candidate {
  return { label, kind, answer: judgement.answer as RunAnswer, rule: judgement.rule, needs: judgement.needs };
}

/** One question for every row of the other projects that names its CUDA version. */
function projectQuestions(knowledge: Knowledge): readonly (readonly [string, Question])[] {
  const questions: (readonly [string, Question])[] = [];
  const seen = new Set<string>();
  for (const row of knowledge.projectWheels) {
    if (row.builtWith === null && row.project !== 'cupy') continue;
    const variants =
      row.variant === null
        ? row.project === 'cupy'
          ? row.packages.map((name) => name.replace('cupy-', ''))
          : [null]
        : [row.variant];
    for (const variant of variants) {
      const version = row.range.from ?? (row.range.below === null ? null : lastBelow(row.range.below));
      const label = [row.project, rangeLabel(row.range.from, row.range.below), variant]
        .filter((part) => part !== null && part !== '')
        .join(' ');
      if (seen.has(label)) continue;
      seen.add(label);
      questions.push([
        label,
        {
          wheel: {
            name: row.project,
            ...(version === null ? {} : { version }),
            ...(variant === null ? {} : { variant }),
          },
        },
      ]);
    }
  }
  return questions;
}

function rangeLabel(from: string | null, below: string | null): string {
  if (from !== null && below !== null) return `${from} up to below ${below}`;
  return from !== null ? `from ${from}` : below !== null ? `below ${below}` : '';
}

/** A version inside an open range: `13.7` gives `13.6`. */
function lastBelow(below: string): string {
  const parts = below.split('.').map(Number);
  const last = parts.at(-1) ?? 0;
  return last > 0 ? [...parts.slice(0, -1), last - 1].join('.') : '0';
}

function byVersion(a: string, b: string): number {
  const x = a.split('.').map(Number);
  const y = b.split('.').map(Number);
  for (let i = 0; i < Math.max(x.length, y.length); i += 1) {
    const order = (x[i] ?? 0) - (y[i] ?? 0);
    if (order !== 0) return order;
  }
  return 0;
}
