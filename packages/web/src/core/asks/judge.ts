import { judge } from '@culprit/core/compat/judge';
import { driverAxis, matrix, toolkitAxis, torchAxis } from '@culprit/core/compat/matrix';
import type { Question } from '@culprit/core/compat/question';
import { readQuestion } from '@culprit/core/compat/read/read-question';
import { reverse } from '@culprit/core/compat/reverse';
import { defaultKnowledge } from '@culprit/core/knowledge/knowledge';
import type { Answerer, Link } from '../protocol.ts';

/** What a form can offer: newest first, without repetition. */
export const choices: Answerer<'choices'> = () => {
  const { toolkits, torchWheels, branches, gpus, ngcImages } = defaultKnowledge;
  const newest = (values: readonly string[]): readonly string[] => [...new Set(values.toReversed())];
  return Promise.resolve({
    toolkits: newest(toolkits.map((row) => row.cuda)),
    wheels: newest(torchWheels.map((row) => `torch==${row.torch}+${row.variant}`)),
    drivers: newest(branches.map((row) => row.lastKnown ?? String(row.branch))),
    gpus: [...new Set(gpus.map((row) => row.name))],
    images: newest(ngcImages.map((row) => row.image)),
  });
};

/** Judges a question in words or in parts; a host alone is asked what runs on it. */
export const answer: Answerer<'judge'> = (asked) => {
  const read = 'text' in asked ? readQuestion(asked.text, defaultKnowledge) : { question: asked.parts, unread: [] };
  const { question } = read;
  if (isHostAlone(question)) {
    const host = reverse(question, defaultKnowledge);
    return Promise.resolve({
      judgement: host.base,
      sources: sourcesOf(host.base.clauses.flatMap((clause) => clause.restsOn)),
      unread: read.unread,
      runs: { toolkits: host.toolkits, torch: host.torch },
    });
  }
  const judgement = judge(question, defaultKnowledge);
  const sources = sourcesOf(judgement.clauses.flatMap((clause) => clause.restsOn));
  return Promise.resolve({ judgement, sources, unread: read.unread, runs: null });
};

function isHostAlone(question: Question): boolean {
  const host = new Set(['driver', 'gpu', 'computeCapability', 'moduleFlavour', 'os', 'arch']);
  const keys = Object.keys(question);
  return keys.length > 0 && keys.every((key) => host.has(key));
}

function sourcesOf(ids: readonly string[]): Readonly<Record<string, Link>> {
  const wanted = new Set(ids);
  return Object.fromEntries(
    defaultKnowledge.citations.flatMap(({ id, title, url }) => (wanted.has(id) ? [[id, { title, url }]] : [])),
  );
}

/** Every branch against every toolkit and the wheels of the newest torch releases. */
export const table: Answerer<'matrix'> = ({ gpu, flavour }) => {
  const shared: Question = { gpu, ...(flavour === undefined ? {} : { moduleFlavour: flavour }) };
  const columns = [...toolkitAxis(defaultKnowledge).toReversed(), ...torchAxis(defaultKnowledge, 3)];
  const data = matrix(gpu, shared, driverAxis(defaultKnowledge).toReversed(), columns, defaultKnowledge);
  return Promise.resolve({
    rows: data.rows,
    columns: data.columns,
    asOf: data.asOf,
    cells: data.cells.map((row) =>
      row.map(({ answer: given, rule, message, needs }) => ({ answer: given, rule, message, needs })),
    ),
  });
};

/** When branches began and when their support ends. */
export const calendar: Answerer<'calendar'> = () =>
  Promise.resolve({
    asOf: defaultKnowledge.asOf,
    branches: defaultKnowledge.branches.toReversed().map((row) => ({
      branch: row.branch,
      kind: row.kind,
      cuda: row.cuda,
      from: row.firstRelease,
      to: row.endOfLife,
      basis: row.endOfLifeBasis,
      lastKnown: row.lastKnown,
    })),
  });
