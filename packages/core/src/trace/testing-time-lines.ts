// Time lines of several ranks in one text, as pages of rules show them.
import type { FactStore } from '../diagnose/fact-store.ts';
import { findingsOf } from './findings/findings.ts';
import { scenesOf } from './findings/scene.ts';
import { readNsysStats } from './nsys-stats/read-stats.ts';
import { defaultTraceLimits } from './thresholds.rows.ts';
import { putTraceFacts, QuotedFiles } from './trace-facts.ts';

/** The first columns of `nsys stats --report cuda_gpu_trace`. */
const head = 'Start (ns),Duration (ns),CorrId';

/** Puts what the time lines of two ranks or more show; each begins with its head. A single one is a text like others. */
export function putTimeLines(text: string, store: FactStore): void {
  const parts = text.split(head).slice(1);
  if (parts.length < 2) return;
  const traces = parts.map((part, rank) => ({ ...readNsysStats(`${head}${part}`, `rank${rank}.csv`), rank }));
  const scenes = scenesOf(traces);
  const quoted = new QuotedFiles();
  const anyQuote = scenes.flatMap((scene) => scene.anyQuote).slice(0, 1);
  putTraceFacts(findingsOf(scenes, defaultTraceLimits), new Map(), anyQuote, quoted, {
    add: (document, id, value, lines) => store.sink(document, 'trace', 0).add(id, value as never, lines),
  });
}
