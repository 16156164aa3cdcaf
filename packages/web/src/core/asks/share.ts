import { defaultKnowledge } from '@culprit/core/knowledge/knowledge';
import { lookupOf } from '@culprit/core/report/lookup';
import { redactorOf } from '@culprit/core/report/redact';
import { shareReport } from '@culprit/core/report/share-report';
import { version } from '../../version.ts';
import type { Answerer } from '../protocol.ts';
import { readInputs } from '../read-inputs.ts';
import { verdictOf } from './diagnose.ts';

/** Characters of input that a link can hold, before they are packed. */
const mostLinked = 256 * 1024;

/** The verdict as Markdown, and the inputs for a link, without names and addresses. */
export const answer: Answerer<'share'> = async ({ inputs }, progress) => {
  const read = await readInputs(inputs, progress);
  const redactor = redactorOf(read.documents);
  const verdict = redactor.verdict(await verdictOf(read));
  const texts = inputs.flatMap((input) =>
    'text' in input ? [{ name: input.name, text: redactor.text(input.text) }] : [],
  );
  const whole = texts.length === inputs.length && texts.reduce((sum, { text }) => sum + text.length, 0) <= mostLinked;
  const options = {
    knowledge: defaultKnowledge,
    version,
    color: false,
    columns: null,
    left: redactor.value([...read.left, ...read.documents.flatMap((document) => document.left)]),
  };
  const markdown = shareReport(verdict, lookupOf(defaultKnowledge, verdict), options, redactor.masked());
  return { markdown, inputs: whole ? texts : null };
};
