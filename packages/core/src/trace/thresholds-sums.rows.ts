import type { TraceThresholdRow } from './thresholds.rows.ts';

/** Numbers that findings about sums without a time line depend on. */
export const sumThresholds: readonly TraceThresholdRow[] = [
  {
    name: 'sums-repeats',
    value: 50,
    unit: 'times',
    what: 'in a summary, what happens fewer times may be a start or a sample program',
  },
  {
    name: 'sums-copies',
    value: 150,
    unit: '% of the kernel time',
    what: 'copies that take longer cannot lie under kernels, in a summary',
  },
  { name: 'slow-link', value: 8, unit: 'GB/s', what: 'page-locked copies over 16 lanes of any generation are faster' },
  { name: 'adds-up', value: 5, unit: '% of the range', what: 'sums that differ from the wall time by less fill it' },
  {
    name: 'migrations',
    value: 25,
    unit: '% of the kernel time',
    what: 'pages of managed memory that move longer are a finding, in a summary',
  },
  {
    name: 'sums-sync',
    value: 80,
    unit: '% of the launches',
    what: 'so many waits for short kernels are one for each, in a summary',
  },
  {
    name: 'slow-rank',
    value: 25,
    unit: '% longer',
    what: 'kernels of one rank that take longer than those of the others',
  },
  { name: 'starved', value: 25, unit: '% of the steps', what: 'the GPU has no work while input is loaded' },
];
