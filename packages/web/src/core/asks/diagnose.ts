import { diagnose } from '@culprit/core/diagnose/diagnose';
import { withUnread } from '@culprit/core/diagnose/unread';
import { defaultKnowledge } from '@culprit/core/knowledge/knowledge';
import type { Verdict } from '@culprit/core/model/verdict';
import { excerptsOf } from '@culprit/core/report/excerpts';
import { escapeHtml } from '@culprit/core/report/html-page';
import { verdictHtml } from '@culprit/core/report/html-report';
import { lookupOf } from '@culprit/core/report/lookup';
import { stackOf } from '@culprit/core/report/stack/stack-of';
import { visible } from '@culprit/core/report/visible';
import { traceKindOf } from '@culprit/core/trace/trace-kind';
import { SeriesReader } from '@culprit/core/utilization/reader';
import { SeriesSet } from '@culprit/core/utilization/series-set';
import { version } from '../../version.ts';
import type { Answerer, Other } from '../protocol.ts';
import type { Inputs } from '../read-inputs.ts';
import { readInputs } from '../read-inputs.ts';

/** Reads the inputs, huge ones in bounded memory, and judges them. */
export const answer: Answerer<'diagnose'> = async ({ inputs }, progress) => {
  const read = await readInputs(inputs, progress);
  const others = read.others.length === 0 ? [] : await othersOf(read, progress);
  progress('judging');
  const [only] = others.flatMap((each) => each.verdict ?? []);
  const nothing = read.documents.length === 0 && read.unreadable.length === 0 && others.length > 0;
  // Where no text was given, an image or profile is what the answer is about.
  const verdict = nothing && only !== undefined ? only : await verdictOf(read);
  const options = {
    knowledge: defaultKnowledge,
    version,
    color: false,
    columns: null,
    left: [...read.left, ...read.documents.flatMap((document) => document.left)],
  };
  const draws = drawnBy(read);
  return {
    verdict,
    html: nothing ? '' : verdictHtml(verdict, lookupOf(defaultKnowledge, verdict), options),
    excerpts: excerptsOf(read.documents, verdict),
    stack: stackOf(verdict, defaultKnowledge),
    ...(others.length === 0 ? {} : { others }),
    ...(draws === null ? {} : { draws }),
  };
};

async function othersOf({ others }: Inputs, progress: (words: string) => void): Promise<readonly Other[]> {
  const made = [...(await (await import('../../files/others.ts')).othersOf(others, null, progress))];
  const profiles = others.filter(({ kind }) => kind === 'trace').map(({ input }) => input);
  if (profiles.length === 0) return made;
  const { traceAnswer } = await import('./trace.ts');
  const { parts, failures } = await traceAnswer(profiles, progress);
  for (const { name, verdict, html, numbers } of parts)
    made.push({ kind: 'trace', name, verdict, html: `${html}\n${numbers}`, report: null });
  for (const each of failures)
    made.push({
      kind: 'trace',
      name: 'a profile that cannot be read',
      verdict: null,
      html: `<p role="alert">${escapeHtml(visible(each))}</p>`,
      report: null,
    });
  return made;
}

/** Lines by which the kind of a text is told. */
const headLines = 2000;

/** The view that has pictures for what was read. */
function drawnBy({ documents, others }: Inputs): 'util' | 'trace' | null {
  if (others.some(({ kind }) => kind === 'trace')) return 'trace';
  const series = documents.some((document) => {
    const reader = new SeriesReader(new SeriesSet(), document.file);
    document.lines.slice(0, headLines).forEach(({ text }, at) => reader.line(text, at + 1));
    return reader.met;
  });
  if (series) return 'util';
  const tables = documents.some(({ lines }) => {
    const kind = traceKindOf(
      lines
        .slice(0, headLines)
        .map(({ text }) => text)
        .join('\n'),
    );
    return kind === 'ncu-csv' || kind === 'nsys-stats' || kind === 'events';
  });
  return tables ? 'trace' : null;
}

/** The verdict; nothing is called healthy of which a part was not read. */
export async function verdictOf({ documents, unreadable, partial }: Inputs): Promise<Verdict> {
  let judged = diagnose(documents, defaultKnowledge);
  if (judged.findings.length === 0 && /^\s{0,100}[{[]/.test(documents[0]?.lines[0]?.text ?? '')) {
    const { verdictOfPastedTrace } = await import('@culprit/core/trace/pasted');
    judged = verdictOfPastedTrace(documents, defaultKnowledge) ?? judged;
  }
  const unread = unreadable.map(({ name, reason, hint }) => ({
    name,
    reason: hint === null ? reason : `${reason}; ${hint}`,
    ask: 'culprit diagnose FILE',
  }));
  const verdict = withUnread(judged, unread, partial);
  const [first] = unreadable;
  if (documents.length > 0 || first === undefined) return verdict;
  return { ...verdict, headline: `cannot tell: ${first.name} could not be read: ${first.reason}` };
}

/** The stack as it is before anything is known. */
export const emptyStack: Answerer<'stack'> = () =>
  Promise.resolve(stackOf(diagnose([], defaultKnowledge), defaultKnowledge));
