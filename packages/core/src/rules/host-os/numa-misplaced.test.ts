import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { numaMisplaced } from './numa-misplaced.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved with the GPU that it sees',
    'fault proved',
    'CUDA_VISIBLE_DEVICES=1\n$ nvidia-smi topo -m\n	GPU0	GPU1	CPU Affinity	NUMA Affinity	GPU NUMA ID\nGPU0	 X 	SYS	0-31	0		N/A\nGPU1	SYS	 X 	32-63	1		N/A\n$ grep Cpus_allowed_list /proc/4711/status\nCpus_allowed_list:	0-15',
  ],
  [
    'cleared on all processors',
    'cleared',
    '$ nvidia-smi topo -m\n	GPU0	GPU1	CPU Affinity	NUMA Affinity	GPU NUMA ID\nGPU0	 X 	SYS	0-31	0		N/A\nGPU1	SYS	 X 	32-63	1		N/A\n$ grep Cpus_allowed_list /proc/4711/status\nCpus_allowed_list:	0-63',
  ],
  [
    'silent without a process',
    'silent',
    '$ nvidia-smi topo -m\n	GPU0	CPU Affinity	NUMA Affinity	GPU NUMA ID\nGPU0	 X 	0-55	0		N/A',
  ],
];

describe('host-os/numa-misplaced', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(numaMisplaced, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
