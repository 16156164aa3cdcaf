import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { checkpointCorrupt } from './checkpoint-corrupt.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault when the header of safetensors is not whole',
    'fault likely',
    'safetensors_rust.SafetensorError: Error while deserializing header: MetadataIncompleteBuffer',
  ],
  ['fault when the file is a pointer of Git LFS', 'fault likely', "_pickle.UnpicklingError: invalid load key, 'v'."],
  [
    'silent when the weights are of another model',
    'silent',
    'RuntimeError: Error(s) in loading state_dict for Net:\n	size mismatch for fc.weight: copying a param with shape torch.Size([1000, 512]) from checkpoint',
  ],
];

describe('application/checkpoint-corrupt', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(checkpointCorrupt, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
