import { diagnose } from '@culprit/core/diagnose/diagnose';
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
  const verdict = verdictOf(read);
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
export function verdictOf({ documents, unreadable }: Inputs): Verdict {
  const verdict = diagnose(documents, defaultKnowledge);
  if (unreadable.length === 0) return verdict;
  const unknown = [
    ...unreadable.map(({ name, reason }) => ({
      layer: null,
      missing: [`what is in ${name}: ${reason}`],
      ask: 'culprit diagnose FILE',
    })),
    ...verdict.unknown,
  ];
  if (verdict.status !== 'ok') return { ...verdict, unknown };
  return {
    ...verdict,
    status: 'cannot-tell',
    headline: `cannot tell: a part of the input was not read; in the rest ${verdict.headline}`,
    unknown,
  };
}

/** The stack as it is before anything is known. */
export const emptyStack: Answerer<'stack'> = () =>
  Promise.resolve(stackOf(diagnose([], defaultKnowledge), defaultKnowledge));
