import type { Document } from '../model/document.ts';
import type { Fact, FactId } from '../model/facts.ts';
import type { RuleContext } from '../model/rule.ts';
import type { Verdict } from '../model/verdict.ts';
import { findingsOf } from '../utilization/findings.ts';
import { putSeriesFacts, seriesOfDocuments } from '../utilization/series-facts.ts';
import type { SeriesSet } from '../utilization/series-set.ts';
import { askAnything } from './ask-anything.ts';
import type { FactStore } from './fact-store.ts';

/** Facts without which a text holds no series; so a log costs nothing here. */
const signs: readonly FactId[] = ['util.samples', 'util.column', 'dcgm.metric', 'gpu.processes'];

/** Adds what the series of pasted texts show, all texts together. */
export function addSeriesOfDocuments(documents: readonly Document[], store: FactStore): void {
  const ids = new Set(store.ids());
  const loops = ids.has('gpu.state') && documents.some((document) => document.lines.some((line) => isLoop(line.text)));
  const exporter = documents.some((document) => document.lines.slice(0, 400).some((line) => isExporter(line.text)));
  const masked = documents.some((document) => document.lines.slice(0, 400).some((line) => isTable(line.text)));
  if (!loops && !exporter && !masked && !signs.some((id) => ids.has(id))) return;
  addSeries(seriesOfDocuments(documents), store);
}

function isLoop(text: string): boolean {
  return text.includes('utilization.') && text.includes(',') && !text.includes('--query-gpu');
}

function isExporter(text: string): boolean {
  return text.startsWith('# HELP promhttp_') || text.startsWith('# HELP go_') || text.startsWith('up{');
}

function isTable(text: string): boolean {
  return /^\s{0,4}#(?:Date|Time|Entity|\s{0,4}gpu\b)/.test(text.slice(0, 40));
}

const mostCpu = 256;

/** Gives the series what other texts say of the CPU that processes use. */
function join(series: SeriesSet, store: FactStore): void {
  for (const fact of store.all('process.cpu').slice(0, mostCpu)) {
    const [line] = fact.seen;
    if (line === undefined || fact.scope === 'other-host' || fact.scope === 'after-fix') continue;
    series.cpu.push({ ...fact.value, place: { file: line.file, line: line.line, text: line.text } });
  }
}

/**
 * Adds what series show, in the order of their files.
 * @param alone nothing else was read that could judge a state
 */
export function addSeries(series: SeriesSet, store: FactStore, alone = false): void {
  join(series, store);
  const single = [...series.gpus.values()].every((gpu) => gpu.rows < 2);
  // One line of nvidia-smi or one scrape is a state, no series; rules of states judge it.
  const stateOnly =
    single && !['dmon', 'dcgmi', 'pmon'].some((kind) => series.kinds.has(kind)) && series.exporterAbsent === null;
  // A scrape is a mean over its interval: a fault that its own counters show is a suspicion.
  if (
    stateOnly &&
    !alone &&
    !(series.kinds.has('exporter') && findingsOf(series).some((each) => each.kind === 'fault'))
  )
    return;
  putSeriesFacts(series, {
    add: (document, id, value, lines) => store.sink(document, 'series', 0).add(id, value as never, lines),
  });
}

function findingsIn(context: RuleContext): readonly Fact<'util.finding'>[] {
  return context.all('util.finding').filter((fact) => fact.scope !== 'other-host' && fact.scope !== 'after-fix');
}

/** Health that series show: every GPU of them is well. The GPUs with most to say give the cause. */
export function healthOfSeries(context: RuleContext): { readonly cause: string; readonly because: string } | null {
  const all = findingsIn(context);
  if (all.length === 0 || all.some((fact) => fact.value.kind !== 'healthy')) return null;
  // An Xid that came while the series ran is no part of health, whatever it was.
  if (context.all('gpu.xid').some((fact) => fact.seen.some(({ source }) => source === 'series'))) return null;
  const idle = (cause: string): number => Number(cause === 'ok-idle');
  const sorted = all.toSorted(
    (a, b) => idle(a.value.cause) - idle(b.value.cause) || b.value.gpus.length - a.value.gpus.length,
  );
  return { cause: sorted[0]!.value.cause, because: sorted.map((fact) => fact.value.message).join('; ') };
}

/** A verdict that cannot tell names what the series lack. */
export function speakOfSeries(verdict: Verdict, context: RuleContext): Verdict {
  if (verdict.status !== 'cannot-tell' || verdict.findings.length > 0) return verdict;
  const open = findingsIn(context).find((fact) => fact.value.kind === 'unclear');
  if (open === undefined) return verdict;
  const { cause, message, missing } = open.value;
  const own = missing === null ? [] : [{ layer: null, missing: [missing.fact], ask: missing.ask }];
  return {
    ...verdict,
    cause,
    headline: `cannot tell: ${message}`,
    // What was read is a series: that nothing else was said is no question.
    unknown: [
      ...own,
      ...verdict.unknown.filter((each) => each.ask !== missing?.ask && (own.length === 0 || each.ask !== askAnything)),
    ].slice(0, 8),
  };
}
