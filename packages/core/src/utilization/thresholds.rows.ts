// Every number that a finding about a series depends on.

export interface ThresholdRow {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly what: string;
}

export const thresholds: readonly ThresholdRow[] = [
  { name: 'samples', value: 10, unit: 'samples', what: 'fewer than these of a GPU decide nothing' },
  { name: 'busy-util', value: 50, unit: '%', what: 'a sample counts as busy from this utilisation on' },
  { name: 'full-util', value: 80, unit: '%', what: 'a GPU looks fully used from this mean on' },
  { name: 'idle-util', value: 3, unit: '%', what: 'a GPU is idle up to this mean' },
  { name: 'low-sm', value: 30, unit: '%', what: 'SMs count as idle below this activity' },
  { name: 'gaps', value: 85, unit: '%', what: 'below this engine activity there are gaps between kernels' },
  { name: 'low-power', value: 45, unit: '% of the limit', what: 'little power for a busy GPU' },
  { name: 'working-power', value: 50, unit: '% of the limit', what: 'a GPU that works draws at least this' },
  { name: 'memory-bound', value: 65, unit: '%', what: 'memory is the limit from this use on' },
  { name: 'tensor-idle', value: 2, unit: '%', what: 'tensor cores are idle up to this' },
  { name: 'fp64', value: 20, unit: '%', what: 'FP64 work from this use of its pipe on' },
  { name: 'flat-power', value: 1.5, unit: '%', what: 'power is flat up to this deviation' },
  { name: 'hung-seconds', value: 60, unit: 'samples', what: 'a kernel is called hung after these' },
  {
    name: 'hung-after-work',
    value: 180,
    unit: 'samples',
    what: 'a GPU that worked before is called hung after these',
  },
  { name: 'blind-share', value: 10, unit: '%', what: 'a GPU counts as not measured from this share of its samples on' },
  { name: 'thrash-rate', value: 2000, unit: 'MB/s', what: 'PCIe traffic each way that pages or copies make' },
  { name: 'quiet-memory', value: 8, unit: '%', what: "the GPU's own memory is quiet up to this while pages move" },
  { name: 'busy-sm', value: 60, unit: '%', what: 'SMs are at work from this activity on' },
  { name: 'quiet-rate', value: 100, unit: 'MB/s', what: 'PCIe or NVLink is quiet up to this' },
  { name: 'wait-share', value: 25, unit: '%', what: 'waiting for input from this share of the time on' },
  { name: 'wait-most', value: 85, unit: '%', what: 'who waits more than this may be asked for little, by a clock' },
  {
    name: 'checkpoint-period',
    value: 20,
    unit: 'samples',
    what: 'pauses this far apart in which data leaves are checkpoints',
  },
  { name: 'regular', value: 30, unit: '%', what: 'a rhythm is regular up to this deviation of its period' },
  { name: 'coarse-step', value: 8, unit: 's', what: 'samples this far apart show no stalls of a second' },
  { name: 'low-util', value: 10, unit: '%', what: 'a GPU that holds no memory is all but idle up to this mean' },
  { name: 'long-period', value: 40, unit: 'samples', what: 'waits this far apart may be those between jobs' },
  { name: 'periods', value: 8, unit: 'periods', what: 'a rhythm over fewer of them may be chance' },
  { name: 'throttle-share', value: 20, unit: '%', what: 'clocks are held down in this share of the busy samples' },
  { name: 'limit-lowered', value: 5, unit: '%', what: "a power limit this far below the board's was lowered" },
  { name: 'low-clock', value: 60, unit: '% of the highest', what: 'clocks that a power cap takes too far down' },
  {
    name: 'straggler-clock',
    value: 88,
    unit: '% of the median',
    what: 'a GPU is slower than the others below this clock',
  },
  { name: 'hot', value: 85, unit: '°C', what: 'heat may hold clocks down from this temperature on' },
  { name: 'encoder', value: 90, unit: '%', what: 'the video engine is the limit from this use on' },
  { name: 'held-memory', value: 1024, unit: 'MiB', what: 'memory that an idle GPU may hold' },
  { name: 'ecc-errors', value: 1, unit: 'errors', what: 'uncorrected memory errors during the series' },
  { name: 'row-remaps', value: 1, unit: 'rows', what: 'memory rows that wait for a reset or could not be replaced' },
  { name: 'nvlink-errors', value: 100, unit: 'transfers', what: 'NVLink transfers with errors during the series' },
  { name: 'instance-busy', value: 85, unit: '%', what: 'a MIG instance or a client of MPS is full from this use on' },
  { name: 'instance-idle', value: 5, unit: '%', what: 'a MIG instance or a process does nothing up to this use' },
  { name: 'instance-held', value: 512, unit: 'MiB', what: 'memory that a MIG instance in use holds' },
  { name: 'day-hours', value: 12, unit: 'hours', what: 'a series shows the time of day from this length on' },
  { name: 'day-range', value: 25, unit: 'points', what: 'hourly means that follow the day differ by this' },
  { name: 'one-core', value: 90, unit: '% of a core', what: 'a thread that the CPU holds up uses at least this' },
  { name: 'idle-core', value: 30, unit: '% of a core', what: 'a loader that is not the limit uses at most this' },
  { name: 'change', value: 10, unit: '%', what: 'a counter changed from this part of its value on' },
  { name: 'change-noise', value: 3, unit: '× the noise', what: 'a change is this many times its own noise' },
  { name: 'change-samples', value: 16, unit: 'samples', what: 'fewer than these on one side show no change' },
  { name: 'replays', value: 100, unit: 'transfers', what: 'PCIe transfers repeated during the series' },
];

export type Thresholds = Readonly<Record<string, number>>;

export const defaultThresholds: Thresholds = Object.fromEntries(thresholds.map(({ name, value }) => [name, value]));
