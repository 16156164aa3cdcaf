import { diagnose } from '@culprit/core/diagnose/diagnose';
import { recogniserOf } from '@culprit/core/diagnose/recognise';
import { defaultKnowledge } from '@culprit/core/knowledge/knowledge';
import type { Document } from '@culprit/core/model/document';
import { parsers } from '@culprit/core/parse/parsers';
import { Condenser } from '@culprit/core/text/condense';
import { createDocument } from '@culprit/core/text/document';
import type { Answerer, Input } from '../protocol.ts';

/** Reads the inputs, huge ones in bounded memory, and judges them. */
export const answer: Answerer<'diagnose'> = async ({ inputs }, progress) => {
  const recogniser = recogniserOf(defaultKnowledge.signatures, parsers);
  const documents: Document[] = [];
  for (const input of inputs) {
    const condenser = new Condenser(recogniser, input.name, {});
    if ('text' in input) condenser.push(new TextEncoder().encode(input.text));
    else await readFile(input, condenser, progress);
    const read = condenser.finish();
    documents.push('text' in read ? createDocument(read.text, { file: input.name }) : read);
  }
  return { verdict: diagnose(documents, defaultKnowledge), left: documents.flatMap((document) => document.left) };
};

async function readFile(
  { name, file }: Extract<Input, { file: Blob }>,
  condenser: Condenser,
  progress: (words: string) => void,
): Promise<void> {
  let done = 0;
  let said = 0;
  for await (const chunk of file.stream() as unknown as AsyncIterable<Uint8Array>) {
    condenser.push(chunk);
    done += chunk.length;
    if (done - said < 16e6) continue;
    said = done;
    progress(`reading ${name}: ${Math.round(done / 1e6)} of ${Math.round(file.size / 1e6)} MB`);
  }
}
