// Traces for tests, as libkineto prints them.

export interface TestEvent {
  readonly ph?: string;
  readonly cat?: string;
  readonly name?: unknown;
  readonly pid?: unknown;
  readonly tid?: unknown;
  readonly ts?: unknown;
  readonly dur?: unknown;
  readonly args?: unknown;
  readonly id?: unknown;
}

export function kernelEvent(
  ts: number,
  dur: number,
  correlation: unknown,
  more: object = {},
  name = 'gemm',
): TestEvent {
  return {
    ph: 'X',
    cat: 'kernel',
    name,
    pid: 0,
    tid: 7,
    ts,
    dur,
    args: {
      'External id': 1,
      device: 0,
      context: 1,
      stream: 7,
      correlation,
      'registers per thread': 32,
      'shared memory': 1024,
      grid: [132, 2, 1],
      block: [128, 1, 1],
      ...more,
    },
  };
}

export function callEvent(ts: number, dur: number, correlation: unknown, name = 'cudaLaunchKernel'): TestEvent {
  return { ph: 'X', cat: 'cuda_runtime', name, pid: 7001, tid: 7002, ts, dur, args: { cbid: 211, correlation } };
}

export function copyEvent(ts: number, dur: number, correlation: number, bytes: number, name: string): TestEvent {
  return {
    ph: 'X',
    cat: 'gpu_memcpy',
    name,
    pid: 0,
    tid: 7,
    ts,
    dur,
    args: { device: 0, context: 1, stream: 7, correlation, bytes },
  };
}

export function traceText(events: readonly TestEvent[], head: object = {}, indent?: number): string {
  return JSON.stringify(
    {
      schemaVersion: 1,
      deviceProperties: [
        { id: 0, name: 'NVIDIA H100 80GB HBM3', computeMajor: 9, computeMinor: 0, numSms: 132, totalGlobalMem: 85e9 },
        { id: 1, name: 'NVIDIA H100 80GB HBM3', computeMajor: 9, computeMinor: 0, numSms: 132, totalGlobalMem: 85e9 },
      ],
      ...head,
      traceEvents: events,
    },
    null,
    indent,
  );
}
