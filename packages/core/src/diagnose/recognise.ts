import type { Document, Line } from '../model/document.ts';
import type { SignatureRow } from '../knowledge/signatures/signature.types.ts';
import { wholeNotices } from '../knowledge/signatures/whole-notices.ts';
import type { FactSink, Parser } from '../parse/parser.ts';
import { LiteralFinder } from '../text/literals.ts';
import { isSpokenOf } from '../text/quoted.ts';
import { isUnset, withoutUnset } from '../text/unset.ts';

/** A pass over a document that finds which lines hold which literal of the signatures and the parsers. */
export interface Recogniser {
  readonly finder: LiteralFinder;
  readonly signatures: readonly SignatureRow[];
  readonly parsers: readonly Parser[];
  /** For each literal of `finder`: what it belongs to. Signatures count from 0, parsers from `signatures.length`. */
  readonly owners: readonly (readonly number[])[];
}

const cache = new WeakMap<readonly SignatureRow[], Recogniser>();

/** Prepares the literals of all signatures and parsers; kept for the same signature table. */
export function recogniserOf(signatures: readonly SignatureRow[], parsers: readonly Parser[]): Recogniser {
  const known = cache.get(signatures);
  if (known !== undefined && known.parsers === parsers) return known;
  const index = new Map<string, number[]>();
  const note = (literal: string, owner: number): void => {
    const owners = index.get(literal);
    if (owners === undefined) index.set(literal, [owner]);
    else if (!owners.includes(owner)) owners.push(owner);
  };
  signatures.forEach((signature, at) => signature.literals.forEach((literal) => note(literal, at)));
  parsers.forEach((parser, at) => parser.literals.forEach((literal) => note(literal, signatures.length + at)));
  const made: Recogniser = {
    finder: new LiteralFinder([...index.keys()]),
    signatures,
    parsers,
    owners: [...index.values()],
  };
  cache.set(signatures, made);
  return made;
}

/** The lines of each signature and parser that hold one of its literals. */
export function hitsOf(recogniser: Recogniser, document: Document): ReadonlyMap<number, readonly Line[]> {
  const hits = new Map<number, Line[]>();
  for (const line of document.lines) {
    recogniser.finder.inText(line.clean, (literal) => {
      for (const owner of recogniser.owners[literal]!) {
        const lines = hits.get(owner);
        if (lines === undefined) hits.set(owner, [line]);
        else if (lines[lines.length - 1] !== line) lines.push(line);
      }
    });
  }
  return hits;
}

/** Lines whose words of failure belong to a notice. */
export function noticedLines(
  signatures: readonly SignatureRow[],
  document: Document,
  hits: ReadonlyMap<number, readonly Line[]>,
): ReadonlySet<Line> {
  const noticed = new Set<Line>();
  signatures.forEach((signature, at) => {
    const lines = wholeNotices.has(signature.id) ? (hits.get(at) ?? []) : [];
    for (const line of lines) {
      const text = following(document, line, signature.joins ?? 0).map((each) => each.clean);
      if (!line.prompt && signature.patterns.some((pattern) => pattern.test(text.join(' ')))) noticed.add(line);
    }
  });
  return noticed;
}

/** Adds `said.<signature>` for every line that a pattern fits. Prompt lines are commands, not messages. */
export function matchSignature(
  signature: SignatureRow,
  document: Document,
  lines: readonly Line[],
  sink: FactSink,
): void {
  for (const line of lines) {
    if (line.prompt) continue;
    const joined = signature.joins === undefined ? [line] : following(document, line, signature.joins);
    const text = withoutUnset(joined.length === 1 ? line.clean : joined.map((each) => each.clean).join(' '));
    const captures: Record<string, string> = {};
    let matched = false;
    // Several patterns may fit one line; each adds what it captures, the first one to name a group keeps it.
    for (const pattern of signature.patterns) {
      const match = pattern.exec(text);
      if (match === null) continue;
      const end = match.index + match[0].length;
      const [before, after] = [text.slice(0, match.index), text.slice(end)];
      if (isSpokenOf(before, match[0], after) || isEchoed(line, match[0])) continue;
      // A variable that a harmless notice names may well be 0.
      if (signature.role !== 'benign' && isUnset(before, match[0], after)) continue;
      matched = true;
      for (const [name, value] of Object.entries(match.groups ?? {})) if (value !== undefined) captures[name] ??= value;
    }
    if (matched) sink.add(`said.${signature.id}`, { signature: signature.id, captures, count: 1 }, joined);
  }
}

/** A message that a command was told to print. */
function isEchoed(line: Line, message: string): boolean {
  return line.command !== null && /^(?:echo|printf)\b/.test(line.command) && line.command.includes(message);
}

function following(document: Document, line: Line, count: number): readonly Line[] {
  const lines = [line];
  for (let i = 1; i <= count; i++) {
    const next = document.lines[line.index + i];
    if (next === undefined || next.prompt || next.told) break;
    lines.push(next);
  }
  return lines;
}
