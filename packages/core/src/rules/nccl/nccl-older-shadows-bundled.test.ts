import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { ncclOlderShadowsBundled } from './nccl-older-shadows-bundled.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'proved when NCCL states both releases',
    'fault proved',
    'NCCL WARN NCCL library is too old. This application was compiled with NCCL version 2.29.2, but is running with NCCL library version 2.27.3.',
  ],
  [
    'likely on the loader message alone',
    'fault likely',
    'ImportError: /x/torch/lib/libtorch_cuda.so: undefined symbol: ncclMemAlloc',
  ],
  ['silent on another missing name', 'silent', 'ImportError: x.so: undefined symbol: foo'],
];

describe('nccl/nccl-older-shadows-bundled', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(ncclOlderShadowsBundled, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
