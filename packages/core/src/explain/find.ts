import type { Knowledge } from '../knowledge/knowledge.ts';
import { rules } from '../rules/rules.ts';
import { tables } from '../knowledge/tables.ts';
import { layers } from '../model/layer.ts';
import { nearest } from '../text/nearest.ts';
import { concepts } from './concepts.ts';
import { factWords } from './facts.rows.ts';
import { recognised } from './recognised.ts';
import { profileTopic } from './metrics.ts';
import { causeTopic, conceptTopic, messageTopic, ruleTopic } from './rules.ts';
import { cudaErrorTopic, libraryStatusTopic, ncclResultTopic, nvmlReturnTopic } from './statuses.ts';
import type { Topic } from './topic.ts';
import { words as answerWords } from './words.rows.ts';
import { factTopic, tableTopic, wordTopic } from './words.ts';
import { sxidTopic, xidLineTopic, xidTopic } from './xids.ts';

export type Found =
  | { readonly kind: 'topic'; readonly topic: Topic }
  /** Several libraries use the number or name. */
  | { readonly kind: 'several'; readonly topics: readonly Topic[] }
  | { readonly kind: 'none'; readonly suggestions: readonly string[] };

/** What a word before a number means: the tables it chooses. */
const families: Readonly<Record<string, readonly string[]>> = {
  cuda: ['cuda'],
  cudart: ['cuda'],
  cudaerror: ['cuda'],
  cudaerror_t: ['cuda'],
  curesult: ['cuda'],
  driver: ['cuda'],
  nccl: ['nccl'],
  ncclresult: ['nccl'],
  nvml: ['nvml'],
  'nvidia-smi': ['nvml'],
  xid: ['xid'],
  sxid: ['sxid'],
  cudnn: ['cudnn8', 'cudnn9'],
};

/**
 * Finds what a word, number, name or message stands for.
 * @param query as typed: `804`, `xid 79`, `nccl 3`, `CUDNN_STATUS_EXECUTION_FAILED`, `forward compatibility`, a message
 * @param pages Markdown of the rules' pages, by rule id
 */
export function findTopic(query: string, knowledge: Knowledge, pages: Readonly<Record<string, string>>): Found {
  const words = query.trim().replaceAll(/\s+/g, ' ').slice(0, 2000);
  const lower = words.toLowerCase().replace(/^said\./, '');
  const topics =
    byId(lower, knowledge, pages) ??
    byId(withoutLayer(lower), knowledge, pages) ??
    byXidPart(words, knowledge) ??
    byNumber(lower, knowledge) ??
    byNumber(spelled(withoutLayer(lower)), knowledge) ??
    byName(lower, knowledge) ??
    byMetric(lower, knowledge) ??
    byConcept(lower, knowledge) ??
    byMessage(words, knowledge);
  if (topics === undefined || topics.length === 0)
    return { kind: 'none', suggestions: suggestionsFor(lower, knowledge) };
  return topics.length === 1 ? { kind: 'topic', topic: topics[0]! } : { kind: 'several', topics };
}

/** Every concept, for an overview. */
export function allConcepts(): readonly { readonly id: string; readonly title: string }[] {
  return concepts.map(({ id, title }) => ({ id, title }));
}

/** Every id that `culprit explain` knows, for tests and completion. */
export function allTopicIds(knowledge: Knowledge): readonly string[] {
  return [
    ...rules.map((rule) => rule.id),
    ...knowledge.causes.map((row) => row.cause),
    ...concepts.map((row) => row.id),
    ...knowledge.cudaErrors.map((row) => `cuda ${row.code}`),
    ...knowledge.libraryStatuses.map((row) => `${row.library} ${row.code}`),
    ...knowledge.ncclResults.map((row) => `nccl ${row.code}`),
    ...knowledge.nvmlReturns.map((row) => `nvml ${row.code}`),
    ...knowledge.xids.map((row) => `xid ${row.code}`),
    ...knowledge.sxids.map((row) => `sxid ${row.code}`),
    ...knowledge.signatures.map((row) => row.id),
    ...factWords.map((row) => row.id),
    ...answerWords.map((row) => row.id),
    ...tables.map((row) => row.name),
    ...knowledge.ncuMetrics.map((row) => row.id),
    ...knowledge.stallReasons.map((row) => `stall ${row.id}`),
  ];
}

/** A candidate's id without its layer: `orchestrator/k8s-untolerated-taint`, `hardware/xid-46`. */
function withoutLayer(lower: string): string {
  const slash = lower.indexOf('/');
  const layer = lower.slice(0, Math.max(0, slash));
  return layer === 'ok' || layers.some((each) => each === layer) ? lower.slice(slash + 1) : lower;
}

/** `xid-46`, `sxid-20034` and `cuda-error-719` as they stand in answers, as a number is asked for. */
function spelled(lower: string): string {
  return lower.replace(/^(s?xid|nccl|nvml|cuda|cublas|cudnn[89]?)-(?:error-)?(\d{1,6})$/, '$1 $2');
}

/** `xid 145 RLW_REMAP`, `xid 149 37`, `149.37`, or the line of a kernel log itself. */
function byXidPart(words: string, knowledge: Knowledge): readonly Topic[] | undefined {
  const line = /\bS?Xid \([^)]{4,60}\): {0,2}(\d{1,6})\b,?(.{0,600})/.exec(words);
  if (line !== null) {
    const code = Number(line[1]);
    if (/\bSXid \(/.test(words)) {
      const row = knowledge.sxids.find((each) => each.code === code);
      return row === undefined ? undefined : [sxidTopic(knowledge, row)];
    }
    const row = knowledge.xids.find((each) => each.code === code);
    return row === undefined ? undefined : [xidLineTopic(knowledge, row, line[2]!)];
  }
  const part = /^xid[ :#-]{0,2}(\d{1,3})(?:\.| +(?:subcode |sub-code )?)([A-Za-z0-9_/]{1,60})$/i.exec(words);
  if (part === null) return undefined;
  const row = knowledge.xids.find((each) => each.code === Number(part[1]));
  return row === undefined ? undefined : [xidLineTopic(knowledge, row, part[2]!)];
}

function byId(
  lower: string,
  knowledge: Knowledge,
  pages: Readonly<Record<string, string>>,
): readonly Topic[] | undefined {
  const rule = rules.find((each) => each.id === lower);
  if (rule !== undefined) return [ruleTopic(knowledge, rule, pages[rule.id])];
  const dashed = lower.replaceAll(/[ _]/g, '-');
  // A word that an answer prints goes before another name of a concept.
  const concept =
    concepts.find((row) => row.id === dashed) ??
    (answerWords.some((row) => row.id === lower)
      ? undefined
      : concepts.find((row) => row.aliases.includes(lower) || (row.id === 'compute-capability' && isTarget(lower))));
  if (concept !== undefined) return [conceptTopic(knowledge, concept)];
  const cause = knowledge.causes.find((row) => row.cause === lower);
  if (cause !== undefined) {
    const deciding = rules.filter((each) => each.id.endsWith(`/${cause.cause}`));
    return deciding.length === 1
      ? [ruleTopic(knowledge, deciding[0]!, pages[deciding[0]!.id])]
      : [causeTopic(knowledge, cause, deciding)];
  }
  const message = knowledge.signatures.find((row) => row.id === lower);
  if (message !== undefined) return [messageTopic(knowledge, message)];
  const fact = factWords.find((row) => row.id === lower);
  if (fact !== undefined) return [factTopic(fact)];
  const [known, ...others] = factWords.filter((row) => row.id.endsWith(`.${dashed}`));
  if (known !== undefined && others.length === 0) return [factTopic(known)];
  const word = answerWords.find((row) => row.id === lower);
  if (word !== undefined) return [wordTopic(word)];
  const table = tableTopic(knowledge, lower);
  return table === null ? undefined : [table];
}

/** `sm_90a`, `compute_80`: what code was made for. */
function isTarget(lower: string): boolean {
  return /^(?:sm|compute|lto)_\d{2,3}[af]?$/.test(lower);
}

/** `804`, `error 804`, `xid79`, `nccl 3`, `cudnn9 5003`, `cuda error code 35`. */
function byNumber(lower: string, knowledge: Knowledge): readonly Topic[] | undefined {
  const match =
    /^(?:(?<family>[a-z][a-z_-]{0,20}?[89]?)[ :#]{0,3})?(?:(?:error|code|status|result|return|failure|err)[ :#]{0,3}){0,2}(?<code>-?\d{1,9})$/.exec(
      lower,
    );
  if (match?.groups === undefined) return undefined;
  const code = Number(match.groups['code']);
  const family = match.groups['family'];
  const generic =
    family === undefined || ['error', 'code', 'status', 'result', 'return', 'failure', 'err'].includes(family);
  const chosen = generic
    ? undefined
    : (families[family] ?? knowledge.statusLibraries.map((row) => row.library).filter((each) => each === family));
  if (chosen?.length === 0) return undefined;
  const wanted = (table: string): boolean => chosen === undefined || chosen.includes(table);
  const found = [
    ...knowledge.cudaErrors
      .filter((row) => wanted('cuda') && row.code === code)
      .map((row) => cudaErrorTopic(knowledge, row)),
    ...knowledge.xids.filter((row) => wanted('xid') && row.code === code).map((row) => xidTopic(knowledge, row)),
    ...knowledge.ncclResults
      .filter((row) => wanted('nccl') && row.code === code)
      .map((row) => ncclResultTopic(knowledge, row)),
    ...knowledge.nvmlReturns
      .filter((row) => wanted('nvml') && row.code === code)
      .map((row) => nvmlReturnTopic(knowledge, row)),
    ...knowledge.libraryStatuses
      .filter((row) => wanted(row.library) && row.code === code)
      .map((row) => libraryStatusTopic(knowledge, row)),
    ...knowledge.sxids.filter((row) => wanted('sxid') && row.code === code).map((row) => sxidTopic(knowledge, row)),
  ];
  return found.length === 0 ? undefined : found;
}

function byName(lower: string, knowledge: Knowledge): readonly Topic[] | undefined {
  const name = lower.replace(/\(\)$/, '');
  const is = (each: string | null): boolean => each !== null && each.toLowerCase() === name;
  const found = [
    ...knowledge.cudaErrors
      .filter((row) => is(row.runtime) || is(row.driver))
      .map((row) => cudaErrorTopic(knowledge, row)),
    ...knowledge.ncclResults.filter((row) => is(row.name)).map((row) => ncclResultTopic(knowledge, row)),
    ...knowledge.nvmlReturns.filter((row) => is(row.name)).map((row) => nvmlReturnTopic(knowledge, row)),
    ...knowledge.libraryStatuses.filter((row) => is(row.name)).map((row) => libraryStatusTopic(knowledge, row)),
    ...knowledge.xids.filter((row) => is(row.name) || is(row.symbol)).map((row) => xidTopic(knowledge, row)),
    ...knowledge.sxids.filter((row) => is(row.symbol)).map((row) => sxidTopic(knowledge, row)),
  ];
  return found.length === 0 ? undefined : found;
}

/** A concept that has every word of the query in its title or other words. */
/** `smsp__thread_inst_executed_per_inst_executed.ratio`, `achieved occupancy`, `stall long scoreboard`. */
function byMetric(lower: string, knowledge: Knowledge): readonly Topic[] | undefined {
  const topic = profileTopic(knowledge, lower);
  return topic === null ? undefined : [topic];
}

function byConcept(lower: string, knowledge: Knowledge): readonly Topic[] | undefined {
  const wanted = lower
    .split(/[\s/_-]+/)
    .filter((word) => word.length > 2 && !['the', 'and', 'what', 'how', 'why', 'does'].includes(word));
  if (wanted.length === 0 || wanted.length > 5) return undefined;
  const named = concepts.filter((row) => {
    const names = `${row.id} ${row.aliases.join(' ')}`.toLowerCase();
    return wanted.every((word) => names.includes(word));
  });
  return named.length === 0 || named.length > 6 ? undefined : named.map((row) => conceptTopic(knowledge, row));
}

/** A pasted message. */
function byMessage(words: string, knowledge: Knowledge): readonly Topic[] | undefined {
  const text = words.toLowerCase().replace(/\.$/, '');
  const exact = knowledge.cudaErrors.filter(
    (row) => row.string.toLowerCase() === text || row.stringOlder?.toLowerCase() === text,
  );
  if (exact.length > 0) return exact.map((row) => cudaErrorTopic(knowledge, row));
  const rows = recognised(knowledge, words).slice(0, 5);
  return rows.length === 0 ? undefined : rows.map((row) => messageTopic(knowledge, row));
}

function suggestionsFor(lower: string, knowledge: Knowledge): readonly string[] {
  const names = [
    ...concepts.flatMap((row) => [row.id, ...row.aliases]),
    ...rules.map((rule) => rule.id),
    ...knowledge.causes.map((row) => row.cause),
    ...knowledge.signatures.map((row) => row.id),
    ...knowledge.cudaErrors.flatMap((row) => [row.runtime ?? '', row.driver ?? '']),
    ...knowledge.libraryStatuses.map((row) => row.name),
    ...knowledge.ncclResults.map((row) => row.name),
    ...knowledge.nvmlReturns.map((row) => row.name),
    ...factWords.map((row) => row.id),
    ...answerWords.map((row) => row.id),
    ...tables.map((row) => row.name),
  ].filter((name) => name !== '');
  const all = [...new Set(names)];
  const close = nearest(lower, all, 4);
  const words = wordsOf(lower).filter((word) => word.length > 2 && !vague.has(word));
  const shared = all
    .map((name) => ({ name, count: wordsOf(name.toLowerCase()).filter((word) => words.includes(word)).length }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count)
    .map(({ name }) => name);
  // Of several words some are right; one word alone is more likely mistyped.
  const found = [...new Set(wordsOf(lower).length > 1 ? [...shared, ...close] : [...close, ...shared])];
  if (found.length > 0) return found.slice(0, 4);
  return all.filter((name) => words.some((word) => word.length > 3 && name.toLowerCase().includes(word))).slice(0, 4);
}

/** Words of many names, which tell nothing by themselves. */
const vague: ReadonlySet<string> = new Set(['the', 'and', 'gpu', 'cuda', 'error', 'errors', 'nvidia', 'not', 'failed']);

function wordsOf(text: string): readonly string[] {
  return text.split(/[\s/_.-]+/).filter((word) => word !== '');
}
