import { othersOf } from '../../files/others.ts';
import { kindOfFile } from '../../files/kind.ts';
import type { Answerer, DroppedFile } from '../protocol.ts';

/** What is in files of machine code and images, and what happens with them on a node. */
export const answer: Answerer<'inspect'> = async ({ inputs, on }, progress) => {
  const files = inputs.filter((input): input is DroppedFile => 'file' in input);
  const kinds = await Promise.all(
    files.map(async (input) => ({ kind: await kindOfFile(input.name, input.file), input })),
  );
  return othersOf(kinds, on, progress);
};
