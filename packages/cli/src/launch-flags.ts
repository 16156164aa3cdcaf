import type { Flag } from './commands/command.ts';

/** Flags that describe a launch and where it runs. */
export const launchFlags: readonly Flag[] = [
  {
    name: 'gpu',
    short: 'g',
    value: 'NAME',
    summary: 'GPU by any usual name, with a MIG profile, or a compute capability (9.0)',
  },
  { name: 'cc', value: 'CAPABILITY', summary: 'compute capability: 9.0, sm_90' },
  { name: 'sms', value: 'N', summary: 'multiprocessors, where they differ from the tables' },
  { name: 'block', short: 'b', value: 'N', summary: 'threads per block: 256, or 16x16' },
  { name: 'registers', short: 'r', value: 'N', summary: 'registers per thread' },
  { name: 'shared', short: 's', value: 'BYTES', summary: 'static shared memory per block' },
  { name: 'dynamic', short: 'd', value: 'BYTES', summary: 'dynamic shared memory per block' },
  { name: 'carveout', value: 'PERCENT', summary: 'preferred share of the L1 memory as shared memory' },
  { name: 'cluster', value: 'N', summary: 'blocks per cluster' },
  { name: 'barriers', value: 'N', summary: 'named barriers of the kernel' },
  { name: 'max-threads', value: 'N', summary: 'launch bounds of the kernel, for the best block size' },
  { name: 'grid', value: 'N', summary: 'blocks of the launch: 1056, or 8x132' },
  { name: 'threads', value: 'N', summary: 'threads that the work needs: the grid is that over the block size' },
];
