import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { cdiSpecStale } from './cdi-spec-stale.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault likely on the missing file alone',
    'fault likely',
    'docker: Error response from daemon: failed to create shim task: error mounting "/usr/lib/libcuda.so.570.86.10" to rootfs at "/usr/lib/libcuda.so.570.86.10": no such file or directory',
  ],
  [
    'fault proved when the specification offers other devices',
    'fault proved',
    'CDI device injection failed: unresolvable CDI devices nvidia.com/gpu=3\n$ nvidia-ctk cdi list\nnvidia.com/gpu=0\nnvidia.com/gpu=1\nnvidia.com/gpu=all',
  ],
  [
    'fault likely when a node is named that is gone',
    'fault likely',
    'failed to inject CDI devices: failed to inject devices: failed to stat CDI host device "/dev/nvidia3": no such file or directory',
  ],
  [
    'silent on a missing file of the user',
    'silent',
    "Error: crun: error stat'ing file `/srv/data/model.bin`: No such file or directory",
  ],
];

describe('container-runtime/cdi-spec-stale', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(cdiSpecStale, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
