import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { environmentBreaksRun } from './environment-breaks-run.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved in offline mode without the file',
    'fault proved',
    'TRANSFORMERS_OFFLINE=1\nhuggingface_hub.errors.OfflineModeIsEnabled: Cannot reach https://huggingface.co/api/models/x: offline mode is enabled. To disable it, please unset the `HF_HUB_OFFLINE` environment variable.',
  ],
  [
    'fault when an algorithm is pinned that the collective lacks',
    'fault likely',
    'n1:88:90 [0] enqueue.cc:1390 NCCL WARN Error : no algorithm/protocol available for function Broadcast with datatype ncclInt8. NCCL_PROTO was set to LL128. NCCL_ALGO was set to NVLS.',
  ],
  [
    'fault when compiled kernels are left out',
    'fault likely',
    '$ export CUDA_FORCE_PTX_JIT=1\n$ python run.py\nRuntimeError: CUDA error: no kernel image is available for execution on the device',
  ],
  [
    'silent when the build itself lacks the GPU',
    'silent',
    'RuntimeError: CUDA error: no kernel image is available for execution on the device',
  ],
];

describe('application/environment-breaks-run', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(environmentBreaksRun, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
