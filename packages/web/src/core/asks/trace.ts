import { defaultKnowledge } from '@culprit/core/knowledge/knowledge';
import { escapeHtml } from '@culprit/core/report/html-page';
import { verdictHtml } from '@culprit/core/report/html-report';
import { lookupOf } from '@culprit/core/report/lookup';
import { timelineOf } from '@culprit/core/report/timeline-data';
import { traceText } from '@culprit/core/report/trace-report';
import { summaryHtml } from '@culprit/core/report/trace-summary';
import { visible } from '@culprit/core/report/visible';
import type { Verdict } from '@culprit/core/model/verdict';
import type { Trace } from '@culprit/core/trace/model';
import { rankTraces } from '@culprit/core/trace/rank-files';
import { summaryOf } from '@culprit/core/trace/summary';
import { ncuVerdict } from '@culprit/core/trace/trace';
import { TraceUnreadable } from '@culprit/core/trace/unreadable';
import { traceVerdict } from '@culprit/core/trace/verdict';
import type { SourceOf } from '../../files/trace.ts';
import { readTrace } from '../../files/trace.ts';
import { version } from '../../version.ts';
import type { Answerer, Profiles } from '../protocol.ts';

/** Kernels and calls that the tables list. */
const top = 5;
/** Rows of all traces together: more do not fit into what a browser gives one page. */
const mostRows = 20_000_000;
const readable =
  'read are exports of Nsight Systems (nsys export -t sqlite), traces of PyTorch and JAX (JSON, also packed), and tables of Nsight Compute (ncu --csv --page raw) and Systems (nsys stats)';

/** Where the time goes, and why, by profiles: as `culprit trace` says it, with the same pictures. */
export const answer: Answerer<'trace'> = ({ inputs }, progress) => traceAnswer(inputs, progress);

/** @param sourceOf as for `readTrace` */
export async function traceAnswer(
  inputs: Parameters<Answerer<'trace'>>[0]['inputs'],
  progress: (words: string) => void,
  sourceOf?: SourceOf,
): Promise<Profiles> {
  const traces: Trace[] = [];
  const tables: { readonly name: string; readonly text: string }[] = [];
  const failures: string[] = [];
  const broken: string[] = [];
  const left: string[] = [];
  let rows = 0;
  for (const input of inputs) {
    const { name } = input;
    const file = 'text' in input ? new Blob([input.text]) : input.file;
    if (rows > mostRows) {
      left.push(`${name} is left out: the traces before it fill the room that there is`);
      continue;
    }
    try {
      const read = await readTrace(name, file, progress, sourceOf);
      if (read.kind === 'trace') {
        traces.push(read.trace);
        rows += read.trace.work.count + read.trace.calls.count;
      } else if (read.kind === 'table') tables.push({ name, text: read.text });
      else failures.push(`${name} is ${read.what}; ${read.hint ?? readable}`);
    } catch (error) {
      const damaged = error instanceof TraceUnreadable && error.code === 'damaged';
      const words = error instanceof Error ? error.message : String(error);
      (damaged ? broken : failures).push(words);
    }
  }
  progress('judging');
  const parts: Profiles['parts'][number][] = [];
  for (const { name, text } of tables) {
    const told = ncuVerdict(text, name, defaultKnowledge);
    const numbers = traceText(told.kernels, top, defaultKnowledge, { color: false, columns: 110 });
    parts.push({
      name,
      verdict: told.verdict,
      html: html(told.verdict, told.left),
      numbers: `<pre tabindex="0" class="report">${numbers
        .split('\n')
        .map((line) => escapeHtml(visible(line)))
        .join('\n')}</pre>`,
    });
  }
  const ranked = rankTraces(traces);
  left.push(...ranked.left);
  // A trace of which nothing can be read is an answer too, unless others are judged.
  const nothing = parts.length === 0 && traces.length === 0 && broken.length > 0 && failures.length === 0;
  if (traces.length === 0 && !nothing) return { parts, timeline: null, failures: [...failures, ...broken] };
  const job = traceVerdict(ranked.traces, defaultKnowledge);
  const all = [...left, ...(nothing ? broken : []), ...job.left];
  const data = timelineOf(ranked.traces, job.findings, (bytes) => bytes);
  if (data.left > 0)
    all.push(`${data.left.toLocaleString('en')} later events are not drawn; the verdict rests on all of them`);
  parts.push({
    name: ranked.traces.length === 1 ? (ranked.traces[0]?.file ?? 'trace') : `${ranked.traces.length} traces`,
    verdict: job.verdict,
    html: html(job.verdict, all),
    numbers: summaryHtml(summaryOf(ranked.traces, job.scenes, top)),
  });
  return {
    parts,
    timeline: data.events === 0 ? null : data,
    failures: nothing ? [] : [...failures, ...broken],
    transfer: data.tracks.map(({ events }) => events.columns.buffer),
  };
}

function html(verdict: Verdict, left: readonly string[]): string {
  const options = { knowledge: defaultKnowledge, version, color: false, columns: null, left };
  return verdictHtml(verdict, lookupOf(defaultKnowledge, verdict), options);
}
