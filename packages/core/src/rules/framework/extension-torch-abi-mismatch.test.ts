import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { extensionTorchAbiMismatch } from './extension-torch-abi-mismatch.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'proved by a name of at',
    'fault proved',
    'ImportError: ops.so: undefined symbol: _ZN2at4_ops5zeros4callEN3c108ArrayRefINS2_6SymIntEEE',
  ],
  [
    'proved when two CUDA majors are stated',
    'fault proved',
    'RuntimeError: Detected that PyTorch and torchvision were compiled with different CUDA major versions. PyTorch has CUDA Version=12.4 and torchvision has CUDA Version=11.8.',
  ],
  ['likely when an operator is missing', 'fault likely', 'RuntimeError: operator torchvision::nms does not exist'],
  [
    'cleared for a name of a C library',
    'cleared',
    'python: symbol lookup error: /usr/lib/libfoo.so: undefined symbol: foo_init',
  ],
];

describe('framework/extension-torch-abi-mismatch', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(extensionTorchAbiMismatch, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
