import { diagnose } from '@culprit/core/diagnose/diagnose';
import { withUnread } from '@culprit/core/diagnose/unread';
import { defaultKnowledge } from '@culprit/core/knowledge/knowledge';
import type { Verdict } from '@culprit/core/model/verdict';
import { excerptsOf } from '@culprit/core/report/excerpts';
import { verdictHtml } from '@culprit/core/report/html-report';
import { lookupOf } from '@culprit/core/report/lookup';
import { stackOf } from '@culprit/core/report/stack/stack-of';
import { version } from '../../version.ts';
import type { Answerer } from '../protocol.ts';
import type { Inputs } from '../read-inputs.ts';
import { readInputs } from '../read-inputs.ts';

/** Reads the inputs, huge ones in bounded memory, and judges them. */
export const answer: Answerer<'diagnose'> = async ({ inputs }, progress) => {
  const read = await readInputs(inputs, progress);
  progress('judging');
  const verdict = await verdictOf(read);
  const options = {
    knowledge: defaultKnowledge,
    version,
    color: false,
    columns: null,
    left: read.documents.flatMap((document) => document.left),
  };
  return {
    verdict,
    html: verdictHtml(verdict, lookupOf(defaultKnowledge, verdict), options),
    excerpts: excerptsOf(read.documents, verdict),
    stack: stackOf(verdict, defaultKnowledge),
  };
};

/** The verdict; nothing is called healthy of which a part was not read. */
export async function verdictOf({ documents, unreadable }: Inputs): Promise<Verdict> {
  let judged = diagnose(documents, defaultKnowledge);
  if (judged.findings.length === 0 && /^\s{0,100}[{[]/.test(documents[0]?.lines[0]?.text ?? '')) {
    const { verdictOfPastedTrace } = await import('@culprit/core/trace/pasted');
    judged = verdictOfPastedTrace(documents, defaultKnowledge) ?? judged;
  }
  const unread = unreadable.map((each) => ({ ...each, ask: 'culprit diagnose FILE' }));
  return withUnread(judged, unread, []);
}

/** The stack as it is before anything is known. */
export const emptyStack: Answerer<'stack'> = () =>
  Promise.resolve(stackOf(diagnose([], defaultKnowledge), defaultKnowledge));
