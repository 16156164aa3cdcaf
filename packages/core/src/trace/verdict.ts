import type { Document } from '../model/document.ts';
import type { Finding, Verdict } from '../model/verdict.ts';
import { verdictOfFacts } from '../diagnose/diagnose.ts';
import { FactStore } from '../diagnose/fact-store.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import type { Trace, TraceFinding } from './model.ts';
import { callKinds } from './model.ts';
import { saysOfMissing } from './remarks.ts';
import type { NumberOfTrace } from './numbers.ts';
import { hasOnlySums } from './numbers.ts';
import { numbersOfJob } from './job-numbers.ts';
import { askFor } from './findings/asks.ts';
import { findingsOf, suspicionCause } from './findings/findings.ts';
import type { SumsOpen } from './findings/sums/silence.ts';
import { readingOfSums } from './findings/sums/sums-findings.ts';
import type { Scene } from './findings/scene.ts';
import { scenesOf } from './findings/scene.ts';
import { busyText } from './busy-text.ts';
import { putSums } from './sums-facts.ts';
import type { TraceSink } from './trace-facts.ts';
import { putTraceFacts, QuotedFiles, quoteOfTrace } from './trace-facts.ts';
import { defaultTraceLimits } from './thresholds.rows.ts';

/** What traces say: the verdict, the findings behind it, and the numbers. */
export interface TraceVerdict {
  readonly verdict: Verdict;
  /** Wastes first, the one that costs most leading; then what is well, then what is open. */
  readonly findings: readonly TraceFinding[];
  /** By name without `trace.`: `gpu.idle_share`, `dev1.kernels.count`, `rank3.clock.offset_ns`. */
  readonly numbers: ReadonlyMap<string, NumberOfTrace>;
  /** What the evidence quotes. */
  readonly documents: readonly Document[];
  /** What was not read, in words. */
  readonly left: readonly string[];
  /** One for each GPU of each rank, for reports that ask more. */
  readonly scenes: readonly Scene[];
}

/**
 * Says where the time goes, and why, by the rules.
 * @param traces one for each rank; of one process group on one host, one
 * @param thresholds numbers of `thresholds.rows.ts` to take instead of its own
 */
export function traceVerdict(
  traces: readonly Trace[],
  knowledge: Knowledge,
  thresholds: Readonly<Record<string, number>> = {},
): TraceVerdict {
  const limits = { ...defaultTraceLimits, ...thresholds };
  const scenes = scenesOf(traces, limits);
  const partial = traces.filter((trace) => trace.partial);
  const sums = traces.filter(hasOnlySums);
  const readings = sums.map((trace) => readingOfSums(trace, limits));
  const found = [...findingsOf(scenes, limits), ...readings.flatMap((reading) => reading.findings)];
  const findings = partial.length === 0 ? found : found.map(unproved);
  const numbers = numbersOfJob(traces, scenes);
  const saving = findings.find(({ kind, certainty }) => kind === 'waste' && certainty !== 'possible')?.saving;
  if (saving != null) numbers.set('saving.upper_bound_ns', Math.ceil(saving.upperBoundNs));
  const store = new FactStore();
  const quoted = new QuotedFiles();
  const sink: TraceSink = {
    add: (document, id, value, lines) => store.sink(document, 'trace', 0).add(id, value as never, lines),
  };
  const anyQuote = scenes.flatMap((scene) => scene.anyQuote).slice(0, 1);
  const proof = anyQuote.length > 0 ? anyQuote : traces.flatMap(quoteOfTrace).slice(0, 1);
  putTraceFacts(findings, numbers, proof, quoted, sink);
  for (const trace of sums) putSums(trace, quoted, sink);
  const judged = verdictOfFacts(store, quoted.documents, knowledge);
  const facts = store
    .everything()
    .slice(0, mostFacts)
    .map((fact) => ({ id: fact.id, value: fact.value as unknown, seen: fact.seen }));
  // Of sums alone the rules of pasted summaries judge as much: the order of all of them holds.
  const isSummed = scenes.length === 0 && sums.length > 0;
  const told = isSummed ? { ...judged, facts } : led({ ...judged, facts }, findings, knowledge);
  const open = isSummed ? (readings.find((reading) => reading.open !== null)?.open ?? null) : null;
  const heard = ofPart(spoken(told, findings, traces, scenes, open), partial);
  const verdict = asking(suspecting(heard, suspicionsOf(findings, quoted, knowledge)), findings);
  const left = traces.flatMap((trace) =>
    trace.left.map((each) => (traces.length > 1 && trace.file !== null ? `${trace.file}: ${each}` : each)),
  );
  return { verdict, findings, numbers, documents: quoted.documents, left, scenes };
}

const mostFacts = 5000;

/** What a part of a trace shows is likely at most: the rest may tell why. */
function unproved(found: TraceFinding): TraceFinding {
  return found.certainty === 'proved' ? { ...found, certainty: 'likely' } : found;
}

/** A part of a trace in which all is well says nothing of the rest. */
function ofPart(verdict: Verdict, partial: readonly Trace[]): Verdict {
  const [first, ...others] = partial;
  if (first === undefined || verdict.status !== 'ok') return verdict;
  const file = `${first.file ?? 'the trace'}${others.length === 0 ? '' : ` and ${others.length} more`}`;
  const again =
    first.format === 'nsys-sqlite'
      ? 'export the report again: nsys export -t sqlite --force-overwrite true FILE'
      : 'take the trace again, or copy it again';
  return {
    ...verdict,
    status: 'cannot-tell',
    cause: 'trace-unreadable',
    owner: 'developer',
    headline: `cannot tell: parts of ${file} are missing or damaged; in what can be read, ${verdict.headline}`,
    cleared: [],
    unknown: [{ layer: null, missing: ['the whole trace'], ask: again }, ...verdict.unknown],
  };
}

/** The findings in the order of what they cost; the first that is more than a suspicion leads. */
function led(verdict: Verdict, found: readonly TraceFinding[], knowledge: Knowledge): Verdict {
  const place = new Map(found.map(({ cause }, at) => [cause, at]));
  const placeOf = ({ cause }: Finding): number => place.get(cause) ?? found.length;
  const findings = verdict.findings.toSorted((a, b) => placeOf(a) - placeOf(b));
  const lead = findings.find(({ certainty }) => certainty !== 'possible');
  if (lead === undefined || !place.has(lead.cause)) return verdict;
  return {
    ...verdict,
    status: knowledge.causes.find(({ cause }) => cause === lead.cause)?.status ?? 'performance',
    headline: lead.message,
    layer: lead.layer,
    cause: lead.cause,
    owner: lead.owner,
    certainty: lead.certainty,
    findings: [lead, ...findings.filter((each) => each !== lead)],
  };
}

/** What is suspected, as the rules say it where nothing else is known. */
function suspicionsOf(found: readonly TraceFinding[], quoted: QuotedFiles, knowledge: Knowledge): readonly Finding[] {
  const own = found.filter(({ cause }) => cause === suspicionCause);
  if (own.length === 0) return [];
  const store = new FactStore();
  putTraceFacts(own, new Map(), [], quoted, {
    add: (document, id, value, lines) => store.sink(document, 'trace', 0).add(id, value as never, lines),
  });
  return verdictOfFacts(store, quoted.documents, knowledge).findings.filter(({ cause }) => cause === suspicionCause);
}

/** A suspicion stands last whatever else is found, and a healthy verdict shows it too. */
function suspecting(verdict: Verdict, suspicions: readonly Finding[]): Verdict {
  const others = verdict.findings.filter(({ cause }) => cause !== suspicionCause);
  return suspicions.length === 0 ? verdict : { ...verdict, findings: [...others, ...suspicions] };
}

/** What the traces leave open stands with what is unknown, whatever the verdict. */
function asking(verdict: Verdict, found: readonly TraceFinding[]): Verdict {
  const asked = new Set(verdict.unknown.map((each) => each.ask));
  const open = found.flatMap(({ kind, missing }) =>
    kind !== 'unclear' || missing === undefined || asked.has(missing.ask)
      ? []
      : [{ layer: null, missing: [missing.fact], ask: missing.ask }],
  );
  return open.length === 0 ? verdict : { ...verdict, unknown: [...verdict.unknown, ...open].slice(0, 8) };
}

/** Why a trace may hold nothing of a GPU: a program that launched had work there, and its records are missing. */
function withoutWork(traces: readonly Trace[]): string {
  const asking: ReadonlySet<number> = new Set([
    callKinds.launch,
    callKinds.graphLaunch,
    callKinds.copy,
    callKinds.copyAsync,
  ]);
  const asked = traces.reduce((sum, { calls }) => sum + calls.kind.filter((kind) => asking.has(kind)).length, 0);
  if (asked > 0)
    return `the program asked ${asked} time${asked === 1 ? '' : 's'} for kernels and copies, and the profiler recorded no work of a GPU: one that is older than the driver, or that may not read the GPU's records, sees the calls only`;
  return traces.some(({ left }) => left.some(saysOfMissing))
    ? 'no work of a GPU could be read from the trace, of which something is missing'
    : 'nothing ran on a GPU while the trace was taken';
}

/** A verdict in the words of a trace: of what is well, how busy the GPU is comes first. */
function spoken(
  verdict: Verdict,
  found: readonly TraceFinding[],
  traces: readonly Trace[],
  scenes: readonly Scene[],
  silence: SumsOpen | null,
): Verdict {
  const sums = traces.some(hasOnlySums);
  if (verdict.status === 'ok') {
    const busy = busyText(scenes);
    return busy === null ? verdict : { ...verdict, headline: `${busy}; ${verdict.headline}` };
  }
  if (verdict.status !== 'cannot-tell') return verdict;
  const steps = askFor(traces[0] ?? { format: 'nsys-sqlite' }, 'steps');
  const unknown = (missing: string, command = steps): Verdict['unknown'] => [
    { layer: null, missing: [missing], ask: command },
  ];
  if (traces.length === 0)
    return {
      ...verdict,
      cause: 'trace-unreadable',
      owner: 'developer',
      headline: 'cannot tell: no trace could be read',
      unknown: unknown('a trace that can be read'),
    };
  if (scenes.length === 0 && !sums)
    return {
      ...verdict,
      cause: 'trace-has-no-gpu-work',
      owner: 'developer',
      headline: `cannot tell: ${withoutWork(traces)}`,
      unknown: unknown('a trace in which kernels ran'),
    };
  const open = found.find(({ kind, cause }) => kind === 'unclear' && cause !== suspicionCause);
  const accused = verdict.findings.some(({ cause }) => cause !== suspicionCause);
  if (open !== undefined && !accused)
    return {
      ...verdict,
      cause: open.cause,
      headline: `cannot tell: ${open.message}`,
      unknown: open.missing === undefined ? verdict.unknown : unknown(open.missing.fact, open.missing.ask),
    };
  if (verdict.findings.length > 0) return verdict;
  if (silence !== null)
    return {
      ...verdict,
      cause: silence.cause,
      ...(silence.cause === null
        ? {}
        : { owner: silence.cause === 'profiling-counters-blind' ? 'operator' : 'developer' }),
      headline: `cannot tell: ${silence.message}`,
      unknown: unknown(silence.fact, silence.ask),
    };
  return {
    ...verdict,
    headline: sums
      ? 'cannot tell: nothing wrong is seen in the sums, and they do not say when things happened'
      : 'cannot tell: no known waste is seen',
    unknown: unknown('the events themselves'),
  };
}
