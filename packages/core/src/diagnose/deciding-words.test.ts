import { describe, expect, it } from 'vitest';
import { signatures } from '../knowledge/signatures/signatures.ts';
import { decidingWords } from './deciding-words.ts';

describe('what decides between the causes of a message', () => {
  it.each([
    ['banner', ['nvidia-smi'], 'the banner'],
    ['pip list', ['pip list | grep torch'], 'what pip list shows'],
    ['no nvcc', ['which nvcc'], 'whether there is no nvcc'],
    ['lspci -d 10de: is empty', ['lspci'], 'whether lspci -d 10de: is empty'],
    ['the block size', [], 'the block size'],
    ['RANK, WORLD_SIZE of each process', ['env'], 'what is known of RANK, WORLD_SIZE of each process'],
  ])('%j is named in words', (noted, commands, words) => {
    expect(decidingWords(noted, commands)).toBe(words);
  });

  it('is more than one word in every row of the tables', () => {
    const short = signatures.flatMap(({ id, causes, commands }) =>
      causes.filter(({ confirm }) => confirm !== '' && !decidingWords(confirm, commands).includes(' ')).map(() => id),
    );
    expect(short).toEqual([]);
  });
});
