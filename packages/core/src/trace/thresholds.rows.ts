// Every number that a finding about a trace depends on.

export interface TraceThresholdRow {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly what: string;
}

export const traceThresholds: readonly TraceThresholdRow[] = [
  { name: 'kernels', value: 20, unit: 'kernels', what: 'fewer kernels and graph executions than these decide nothing' },
  { name: 'waste-share', value: 10, unit: '% of the span', what: 'what costs less than this is not a finding' },
  { name: 'negligible-share', value: 3, unit: '% of the span', what: 'what costs less than this is called negligible' },
  { name: 'repeats', value: 5, unit: 'times', what: 'what happens fewer times is a start or a pause, not a habit' },
  {
    name: 'idle-share',
    value: 15,
    unit: '% of the span',
    what: 'a GPU that is idle longer than this waits for something',
  },
  { name: 'busy-share', value: 85, unit: '% of the span', what: 'a GPU that is busy this long is well used' },
  { name: 'short-kernel', value: 20, unit: 'µs', what: 'kernels of a median below this are short' },
  { name: 'queue-ahead', value: 20, unit: 'µs', what: 'the CPU runs ahead where kernels wait this long in the queue' },
  {
    name: 'syncs-per-launch',
    value: 30,
    unit: '% of the launches',
    what: 'from this on, waiting after launches is a habit',
  },
  { name: 'syncs-healthy', value: 10, unit: '% of the launches', what: 'up to this, the CPU waits once for each step' },
  { name: 'overlap-share', value: 10, unit: '% of the kernel time', what: 'streams overlap from this on' },
  {
    name: 'serialised-share',
    value: 5,
    unit: '% of the span',
    what: 'time that kernels stand behind the default stream',
  },
  {
    name: 'host-pause',
    value: 200,
    unit: 'µs',
    what: 'a pause of the CPU between two calls that is longer is not the cost of a launch',
  },
];

export type TraceLimits = Readonly<Record<string, number>>;

export const defaultTraceLimits: TraceLimits = Object.fromEntries(
  traceThresholds.map(({ name, value }) => [name, value]),
);
