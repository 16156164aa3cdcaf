import type { Line } from '../model/document.ts';
import type { Parser } from './parser.ts';

/*
 * Any program:
 *   ERROR: job 17 failed
 *   fatal: cannot attach
 *   Segmentation fault (core dumped)
 */

const words =
  /\b(?:error|fatal|failed|failure|panic(?:ked)?|segmentation fault|core dumped|aborted|killed|denied|refused|crash(?:ed)?|cannot open|unable to|terminate called)\b/i;

/**
 * Words that count or name errors without one having happened. On Jetson the driver's line of its compiler is
 * `GCC version:  collect2: error: ld returned 1 exit status`; what a probe could not read (`@= exit=denied`) failed nowhere.
 */
const harmless =
  /\b(?:no|0|zero|without|any) (?:\w{1,20} )?(?:errors?|failures?|failed)\b|\berrors?\b {0,20}[:=|] {0,20}(?:0\b|none\b|n\/a\b|no\b|")|\b(?:failed|errors?|failures?) {0,3}[:=]? {0,3}0\b|\becc\b|uncorr|error(?:_| )?(?:rate|bars?|log|count|code: 0|handling|feedback)|mean (?:squared|absolute)|\bloss\b|could not collect|# (?:help|type) |err_msg|fail[- ]?(?:over|safe)|retry|^GCC version: |^@= exit=|0 of \d|--\w{0,30}(?:error|fail)/i;

const most = 50;

/** Lines that speak of an error in general words. A rule uses them only to hold its praise back. */
export const trouble: Parser = {
  id: 'trouble',
  failures: true,
  literals: [
    ' error',
    'error:',
    'fatal',
    'failed',
    'failure',
    'panic',
    'segmentation fault',
    'core dumped',
    'aborted',
    'killed',
    'denied',
    'refused',
    'crash',
    'cannot open',
    'unable to',
    'terminate called',
  ],
  keep: { before: 0, after: 0 },
  parse(_document, hits, sink) {
    let count = 0;
    for (const line of hits) {
      if (count >= most) return;
      const found = saysTrouble(line);
      if (found === null) continue;
      count++;
      sink.add('program.trouble', { words: found }, line);
    }
  },
};

function saysTrouble(line: Line): string | null {
  if (line.prompt || line.told) return null;
  const text = line.clean.slice(0, 400);
  if (harmless.test(text)) return null;
  return words.exec(text)?.[0].toLowerCase() ?? null;
}
