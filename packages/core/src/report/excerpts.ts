import type { Document } from '../model/document.ts';
import type { Verdict } from '../model/verdict.ts';

/** A line of the user's own text. */
export interface ShownLine {
  readonly number: number;
  readonly text: string;
  /** `lead`: the leading finding rests on it; `other`: another one does. */
  readonly mark: 'lead' | 'other' | null;
}

/** The parts of one input that are worth showing: what the evidence stands in. */
export interface Excerpt {
  readonly file: string | null;
  readonly lines: number;
  readonly parts: readonly (readonly ShownLine[])[];
}

/** Lines that are shown around one of the evidence. */
const around = 12;
/** A text up to so many lines is shown whole. */
const mostWhole = 400;
/** Lines of one input that are shown. */
const mostShown = 2000;

/** The user's own text, cut to what the evidence stands in. */
export function excerptsOf(documents: readonly Document[], verdict: Verdict): readonly Excerpt[] {
  const marks = new Map<string, 'lead' | 'other'>();
  for (const [at, finding] of verdict.findings.entries())
    for (const { file, line } of finding.evidence) {
      const key = `${file ?? ''}\n${line}`;
      if (at === 0 || !marks.has(key)) marks.set(key, at === 0 ? 'lead' : 'other');
    }
  const files = new Map<string | null, ShownLine[]>();
  for (const document of documents) {
    const lines = files.get(document.file) ?? [];
    files.set(document.file, lines);
    for (const { number, text } of document.lines)
      lines.push({ number, text, mark: marks.get(`${document.file ?? ''}\n${number}`) ?? null });
  }
  return [...files].map(([file, lines]) => ({ file, lines: lines.at(-1)?.number ?? 0, parts: partsOf(lines) }));
}

function partsOf(lines: readonly ShownLine[]): readonly (readonly ShownLine[])[] {
  if (lines.length <= mostWhole) return lines.length === 0 ? [] : [lines];
  const parts: ShownLine[][] = [];
  let shownTo = 0;
  let count = 0;
  for (const [at, line] of lines.entries()) {
    if (line.mark === null) continue;
    const from = Math.max(shownTo, at - around);
    const part = from === shownTo && parts.length > 0 ? parts.at(-1)! : [];
    if (part.length === 0) parts.push(part);
    shownTo = Math.max(shownTo, Math.min(lines.length, at + around + 1));
    part.push(...lines.slice(from, shownTo));
    count += shownTo - from;
    if (count > mostShown) break;
  }
  return parts;
}
