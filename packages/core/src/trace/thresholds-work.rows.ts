import type { TraceThresholdRow } from './thresholds.rows.ts';

/** Numbers that findings about copies, memory, communication, input and the kernels themselves depend on. */
export const workThresholds: readonly TraceThresholdRow[] = [
  { name: 'small-copy', value: 64, unit: 'KiB', what: 'copies up to this size are small: their cost is the call' },
  { name: 'small-copies', value: 100, unit: 'copies', what: 'fewer small copies than these are not many' },
  {
    name: 'small-per-kernel',
    value: 50,
    unit: '% of the kernels',
    what: 'small copies that are fewer than this, and come alone, read results back',
  },
  {
    name: 'copies-hidden',
    value: 50,
    unit: '% of the copy time',
    what: 'copies are overlapped where this much lies under kernels',
  },
  {
    name: 'pinned-rate',
    value: 25,
    unit: 'GB/s',
    what: 'what page-locked memory may reach where the trace does not show it',
  },
  { name: 'pageable-slow', value: 60, unit: '% of the pinned rate', what: 'pageable copies are slow below this' },
  {
    name: 'offload-ratio',
    value: 200,
    unit: '% of the kernel time',
    what: 'copies both ways that take longer than this are the work itself',
  },
  { name: 'page-faults', value: 100, unit: 'faults', what: 'fewer faults of the GPU are a first touch' },
  {
    name: 'first-touch-share',
    value: 25,
    unit: '% of the span',
    what: 'pages that move once are a finding from this on',
  },
  { name: 'page-rounds', value: 3, unit: 'rounds', what: 'pages that move to the GPU so often thrash' },
  { name: 'allocations', value: 20, unit: 'calls', what: 'fewer allocations while work goes on are no habit' },
  {
    name: 'nccl-exposed',
    value: 15,
    unit: '% of the span',
    what: 'communication that nothing hides is a finding from this on',
  },
  {
    name: 'straggler-share',
    value: 10,
    unit: '% of the span',
    what: 'waiting for a late rank is a finding from this on',
  },
  {
    name: 'straggler-last',
    value: 60,
    unit: '% of the waiting',
    what: 'a rank for which the others wait this much is the straggler',
  },
  { name: 'few-sms', value: 25, unit: '% of the SMs', what: 'a grid is tiny where it has fewer blocks' },
  {
    name: 'tiny-grid-share',
    value: 50,
    unit: '% of the span',
    what: 'tiny grids that run alone are a finding from this on',
  },
  { name: 'tail-fill', value: 20, unit: '% of a wave', what: 'a last wave is nearly empty below this' },
  { name: 'tail-waves', value: 3, unit: 'waves', what: 'after more full waves a tail costs little' },
  {
    name: 'tail-share',
    value: 15,
    unit: '% of the span',
    what: 'what nearly empty waves cost is a finding from this on',
  },
  {
    name: 'persistent-share',
    value: 50,
    unit: '% of the span',
    what: 'a kernel that runs this long in few launches stays on the GPU',
  },
  {
    name: 'plain-products',
    value: 40,
    unit: '% of the kernel time',
    what: 'float32 products off the tensor cores are a finding from this on',
  },
  { name: 'clock-low', value: 75, unit: '% of the highest', what: 'clocks are low below this' },
  {
    name: 'jit-share',
    value: 10,
    unit: '% of the span',
    what: 'compiling while the program runs is a finding from this on',
  },
  {
    name: 'uneven-waits',
    value: 50,
    unit: '% of their mean',
    what: 'waits that deviate more may be those for requests',
  },
];
