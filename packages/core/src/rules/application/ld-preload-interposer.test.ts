import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { ldPreloadInterposer } from './ld-preload-interposer.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault when a tool cannot be injected',
    'fault likely',
    '========= Error: Unable to find injection library libsanitizer-collection.so',
  ],
  [
    'fault when the exception names the injected library',
    'fault proved',
    '$ export CUDA_INJECTION64_PATH=/opt/trace/libtrace_inject.so\n$ python train.py\nRuntimeError: libtrace_inject.so: unsupported driver interface 13000',
  ],
  [
    'silent when the variable is set and something else fails',
    'silent',
    '$ export LD_PRELOAD=/usr/lib/libjemalloc.so.2\n$ python train.py\nValueError: unknown optimizer',
  ],
];

describe('application/ld-preload-interposer', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(ldPreloadInterposer, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
