import type { Document } from '../model/document.ts';
import type { Verdict } from '../model/verdict.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import { KinetoReader } from './kineto/kineto-reader.ts';
import { traceKindOf } from './trace-kind.ts';
import { traceVerdict } from './verdict.ts';

/** Bytes of a trace that is read out of the lines of a text; longer ones are files for `culprit trace`. */
const longest = 8 * 1024 * 1024;

/**
 * The verdict on a trace of events that was given as a text among no others: the same as on the file.
 * @param documents as texts are read; a text that was condensed is none
 * @returns null where the texts are no such trace, or nothing ran on a GPU in it
 */
export function verdictOfPastedTrace(documents: readonly Document[], knowledge: Knowledge): Verdict | null {
  const [document] = documents;
  if (document === undefined || documents.length > 1 || document.left.length > 0) return null;
  const first = document.lines[0]?.text ?? '';
  if (!/^[\s\u{feff}]{0,100}[{[]/u.test(first)) return null;
  const head = document.lines.slice(0, 400).map(({ text }) => text);
  if (traceKindOf(head.join('\n').slice(0, 65_536)) !== 'events') return null;
  const text = wholeText(document);
  if (text === null) return null;
  const reader = new KinetoReader(document.file);
  reader.push(new TextEncoder().encode(text));
  const trace = reader.end();
  return trace.work.count === 0 ? null : traceVerdict([trace], knowledge).verdict;
}

/** The text that the lines were cut from; long lines stand there in slices that overlap. */
function wholeText(document: Document): string | null {
  const parts: string[] = [];
  let length = 0;
  let number = 0;
  /** Characters of the line so far. */
  let reached = 0;
  for (const line of document.lines) {
    if (line.number !== number) {
      if (line.number !== number + 1) return null;
      if (number > 0) parts.push('\n');
      number = line.number;
      reached = 0;
    }
    const overlap = reached - (line.column - 1);
    if (overlap < 0) return null;
    parts.push(line.text.slice(overlap));
    length += line.text.length - overlap + 1;
    reached += Math.max(0, line.text.length - overlap);
    if (length > longest) return null;
  }
  return parts.join('');
}
