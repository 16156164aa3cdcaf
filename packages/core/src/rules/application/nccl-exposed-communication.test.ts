import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { ncclExposedCommunication } from './nccl-exposed-communication.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault when a third of the time is communication',
    'fault likely',
    ' Start (ns)     Duration (ns)  Bytes (MB)  SrcMemKd  DstMemKd  Strm  Name\n -------------  -------------  ----------  --------  --------  ----  ----------------------------\n 10,000,000      6,000,000                                    7  gemm(float *)\n 16,100,000      3,500,000                                    20  ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096>)\n 20,000,000      6,000,000                                    7  gemm(float *)\n 26,100,000      3,500,000                                    20  ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096>)\n 30,000,000      6,000,000                                    7  gemm(float *)\n 36,100,000      3,500,000                                    20  ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096>)\n 40,000,000      6,000,000                                    7  gemm(float *)\n 46,100,000      3,500,000                                    20  ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096>)',
  ],
  [
    'fault with older names of the kernels',
    'fault likely',
    ' Start (ns)     Duration (ns)  Bytes (MB)  SrcMemKd  DstMemKd  Strm  Name\n -------------  -------------  ----------  --------  --------  ----  ----------------------------\n 10,000,000      6,000,000                                    7  gemm(float *)\n 16,100,000      3,500,000                                    20  ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*)\n 20,000,000      6,000,000                                    7  gemm(float *)\n 26,100,000      3,500,000                                    20  ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*)\n 30,000,000      6,000,000                                    7  gemm(float *)\n 36,100,000      3,500,000                                    20  ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*)\n 40,000,000      6,000,000                                    7  gemm(float *)\n 46,100,000      3,500,000                                    20  ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*)',
  ],
  [
    'cleared when it is hidden',
    'cleared',
    ' Start (ns)     Duration (ns)  Bytes (MB)  SrcMemKd  DstMemKd  Strm  Name\n -------------  -------------  ----------  --------  --------  ----  ----------------------------\n 10,000,000      9,000,000                                    7  gemm(float *)\n 12,000,000      3,500,000                                    20  ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096>)\n 20,000,000      9,000,000                                    7  gemm(float *)\n 22,000,000      3,500,000                                    20  ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096>)\n 30,000,000      9,000,000                                    7  gemm(float *)\n 32,000,000      3,500,000                                    20  ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096>)\n 40,000,000      9,000,000                                    7  gemm(float *)\n 42,000,000      3,500,000                                    20  ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096>)',
  ],
];

describe('application/nccl-exposed-communication', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(ncclExposedCommunication, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
