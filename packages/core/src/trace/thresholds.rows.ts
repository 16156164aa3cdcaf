import { sumThresholds } from './thresholds-sums.rows.ts';
import { workThresholds } from './thresholds-work.rows.ts';

// Every number that a finding about a trace depends on.

export interface TraceThresholdRow {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly what: string;
}

export const traceThresholds: readonly TraceThresholdRow[] = [
  { name: 'kernels', value: 10, unit: 'kernels', what: 'fewer kernels and graphs than these decide nothing' },
  { name: 'repeats', value: 5, unit: 'times', what: 'what happens fewer times is a start or a pause, not a habit' },
  { name: 'waste-share', value: 10, unit: '% of the span', what: 'what costs less than this is not a finding' },
  { name: 'negligible-share', value: 3, unit: '% of the span', what: 'what costs less than this is negligible' },
  {
    name: 'idle-share',
    value: 15,
    unit: '% of the span',
    what: 'a GPU that is idle longer than this waits for something',
  },
  {
    name: 'unexplained-idle',
    value: 30,
    unit: '% of the span',
    what: 'idle time without a reason in the trace is healthy up to this',
  },
  { name: 'short-kernel', value: 20, unit: 'µs', what: 'kernels of a median up to this are short' },
  { name: 'queue-ahead', value: 20, unit: 'µs', what: 'kernels that wait this long in the queue were launched ahead' },
  {
    name: 'syncs-per-launch',
    value: 20,
    unit: '% of the launches',
    what: 'from this on, waiting after launches is a habit',
  },
  {
    name: 'syncs-per-step',
    value: 34,
    unit: '% of the launches',
    what: 'up to this, the CPU waits once for a whole step',
  },
  { name: 'overlap-share', value: 10, unit: '% of the kernel time', what: 'streams overlap from this on' },
  {
    name: 'serialised-share',
    value: 5,
    unit: '% of the span',
    what: 'kernels stand this long behind the default stream',
  },
  {
    name: 'filled',
    value: 75,
    unit: '% of the places for blocks',
    what: 'a grid that takes more of them leaves other streams no room',
  },
  {
    name: 'launches',
    value: 50,
    unit: 'kernels',
    what: 'fewer kernels than these say nothing of how they are launched',
  },
  { name: 'waits', value: 20, unit: 'times', what: 'fewer waits of the CPU than these are no habit' },
  { name: 'turns', value: 10, unit: 'turns', what: 'from this on, streams of two libraries get work in turn' },
  { name: 'graph-share', value: 50, unit: '% of the kernel time', what: 'graphs carry the work from this on' },
  { name: 'host-pause', value: 200, unit: 'µs', what: 'a longer pause between two calls is not the cost of a launch' },
  ...workThresholds,
  ...sumThresholds,
];

export type TraceLimits = Readonly<Record<string, number>>;

export const defaultTraceLimits: TraceLimits = Object.fromEntries(
  traceThresholds.map(({ name, value }) => [name, value]),
);
