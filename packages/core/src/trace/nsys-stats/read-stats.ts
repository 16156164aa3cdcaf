import { TraceBuilder } from '../builder.ts';
import type { Trace, TraceQuote } from '../model.ts';
import { TraceUnreadable } from '../unreadable.ts';
import { eventsOf } from './events.ts';
import { jsonTableAt } from './json-tables.ts';
import { Sums } from './sums.ts';
import type { StatRow } from './tables.ts';
import { headAt, rowsBehind } from './tables.ts';

/** Longer lines are cut where they are quoted. */
const longestQuote = 2048;
/** Rows of summaries that are kept of one table; a program has a few thousand kernels at most. */
const mostRows = 20_000;

/**
 * Reads what `nsys stats` and `nsys profile --stats=true` print: summaries as sums, lists of events as events. CSV, text
 * in columns, boxes, tab-separated text and JSON, several reports in one text, other output between them
 * (https://docs.nvidia.com/nsight-systems/UserGuide/index.html, statistical reports).
 * @param file its name, for the evidence
 * @throws TraceUnreadable where no table of it is there
 */
export function readNsysStats(text: string, file: string | null): Trace {
  const lines = text.split(/\r?\n/);
  const builder = new TraceBuilder('nsys-stats', file);
  const sums = new Sums();
  const quote = (row: StatRow): TraceQuote => ({
    line: row.line,
    text: (lines[row.line - 1] ?? '').slice(0, longestQuote),
  });
  let tables = 0;
  for (let at = 0; at < lines.length; at++) {
    const head = headAt(lines, at);
    if (head === null) {
      const json = jsonTableAt(lines, at);
      if (json === null) continue;
      const take = eventsOf(json.head, builder, quote);
      if (take !== null) json.rows.forEach(take);
      else if (!sums.add(json.head, json.rows, quote)) continue;
      tables++;
      at = json.next - 1;
      continue;
    }
    const take = eventsOf(head, builder, quote);
    const rows: StatRow[] = [];
    const walk = rowsBehind(lines, head);
    let step = walk.next();
    for (; step.done !== true; step = walk.next()) {
      if (take !== null) take(step.value);
      else if (rows.length < mostRows) rows.push(step.value);
    }
    if (take !== null || sums.add(head, rows, quote)) tables++;
    at = Math.max(at, step.value - 1);
  }
  if (tables === 0)
    throw new TraceUnreadable(
      'foreign',
      `${file ?? 'the text'} holds no table of nsys stats that is known`,
      'nsys stats --report cuda_gpu_trace,cuda_api_sum --format csv FILE',
    );
  const { work, calls } = builder.size;
  if (work === 0) builder.sums = sums.finish();
  if (calls === 0) builder.notRecorded.add('calls');
  for (const what of ['synchronisations', 'ranges', 'graph-nodes']) builder.notRecorded.add(what);
  if (builder.sums?.faults == null) builder.notRecorded.add('page-faults');
  for (const each of sums.twice) builder.left.push(`a second summary of ${each} in the same text was left out`);
  return builder.finish();
}
