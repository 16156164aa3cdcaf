import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { prefixLoaderIgnoresHostDriverLibs } from './prefix-loader-ignores-host-driver-libs.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved on a stack from CVMFS',
    'fault proved',
    '$ /cvmfs/software.eessi.io/versions/2023.06/software/linux/x86_64/intel/haswell/software/CUDA-Samples/bin/deviceQuery\n/cvmfs/software.eessi.io/versions/2023.06/software/linux/x86_64/intel/haswell/software/CUDA-Samples/bin/deviceQuery: error while loading shared libraries: libcuda.so.1: cannot open shared object file: No such file or directory\n$ nvidia-smi -L\nGPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-00000000-0000-0000-0000-000000000001)',
  ],
  [
    'silent on a plain system',
    'silent',
    'OSError: libcuda.so.1: cannot open shared object file: No such file or directory',
  ],
];

describe('host-os/prefix-loader-ignores-host-driver-libs', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(prefixLoaderIgnoresHostDriverLibs, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
