import type { Unreadable } from '@culprit/collect';
import { readInputs } from '@culprit/collect';
import { diagnose } from '@culprit/core/diagnose/diagnose';
import { recogniserOf } from '@culprit/core/diagnose/recognise';
import { withUnread } from '@culprit/core/diagnose/unread';
import type { Knowledge } from '@culprit/core/knowledge/knowledge';
import type { Document } from '@culprit/core/model/document';
import type { Verdict } from '@culprit/core/model/verdict';
import { parsers } from '@culprit/core/parse/parsers';
import { Condenser } from '@culprit/core/text/condense';

export interface JudgedInputs {
  readonly documents: readonly Document[];
  readonly unreadable: readonly Unreadable[];
  /** What was left out, in words. */
  readonly left: readonly string[];
  readonly verdict: Verdict;
}

/**
 * Reads files and standard input (`-`) and judges them as one incident.
 * @returns no document where nothing could be read
 */
export async function judgedInputs(
  names: readonly string[],
  knowledge: Knowledge,
  progress?: (name: string, done: number, size: number | null) => void,
): Promise<JudgedInputs> {
  const recogniser = recogniserOf(knowledge.signatures, parsers);
  const { documents, unreadable, left, partial } = await readInputs(
    [...new Set(names)],
    (file, allowance) => new Condenser(recogniser, file, allowance),
    progress,
  );
  let judged = diagnose(documents, knowledge);
  if (judged.findings.length === 0 && /^\s{0,100}[{[]/.test(documents[0]?.lines[0]?.text ?? '')) {
    const { verdictOfPastedTrace } = await import('@culprit/core/trace/pasted');
    judged = verdictOfPastedTrace(documents, knowledge) ?? judged;
  }
  const unread = unreadable.map(({ name, reason }) => ({
    name: inputName(name),
    reason,
    ask: name === '-' ? 'culprit diagnose FILE' : `ls -ld -- '${name.replaceAll("'", String.raw`'\''`)}'`,
  }));
  return {
    documents,
    unreadable,
    left: [
      ...left,
      ...documents.flatMap((document) => document.left.map((each) => `${inputName(document.file)}: ${each}`)),
    ],
    verdict: withUnread(judged, unread, partial),
  };
}

export function inputName(file: string | null): string {
  return file === null || file === '-' ? 'standard input' : file;
}
