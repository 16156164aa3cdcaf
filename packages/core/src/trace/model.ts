import type { Certainty } from '../model/layer.ts';

/*
 * One model of events for every kind of trace. A million of them must stay cheap, so they stand in columns: the row of an
 * event is its index in all arrays of the table. Times are nanoseconds from `Trace.zero`; `work` and `calls` are sorted
 * by their start. -1 stands for "none" in a column of indices.
 */

/** What the GPU did, as `Work.kind` holds it; a graph is one execution of a CUDA graph whose kernels are not in the trace. */
export const workKinds = { kernel: 0, copy: 1, memset: 2, graph: 3 } as const;

/** What ran on the GPU: kernels, copies, memsets, executions of graphs. */
export interface Work {
  readonly count: number;
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** One of `workKinds`. */
  readonly kind: Uint8Array;
  /** Index in `Trace.streams`. */
  readonly stream: Uint16Array;
  /** Index in `Trace.names`. */
  readonly name: Uint32Array;
  /** The call that started it, index in `Trace.calls`; -1 where none is in the trace. */
  readonly call: Int32Array;
  /** Kernels: index in `Trace.shapes`; copies: index in `Trace.routes`; -1 where nothing is known, and for the others. */
  readonly detail: Int32Array;
  /** Copies and memsets; 0 else. */
  readonly bytes: Float64Array;
  /** Node of a graph that a kernel or copy belongs to; 0 where it is of none. */
  readonly graphNode: Float64Array | null;
}

/** What a call of the CUDA API does, as `Calls.kind` holds it. */
export const callKinds = {
  other: 0,
  launch: 1,
  graphLaunch: 2,
  copy: 3,
  copyAsync: 4,
  memset: 5,
  malloc: 6,
  free: 7,
  mallocAsync: 8,
  freeAsync: 9,
  hostAlloc: 10,
  hostFree: 11,
  mallocManaged: 12,
  deviceSync: 13,
  streamSync: 14,
  eventSync: 15,
  streamWaitEvent: 16,
  eventRecord: 17,
  query: 18,
  moduleLoad: 19,
  prefetch: 20,
  graphCapture: 21,
  graphInstantiate: 22,
} as const;

export type CallKind = (typeof callKinds)[keyof typeof callKinds];

/** Calls of the CUDA runtime and driver API. */
export interface Calls {
  readonly count: number;
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** One of `callKinds`. */
  readonly kind: Uint8Array;
  /** Index in `Trace.names`; the name as the trace has it. */
  readonly name: Uint32Array;
  /** Index in `Trace.threads`. */
  readonly thread: Uint16Array;
}

/** A grid as it was launched. Null where the trace does not tell. */
export interface Shape {
  readonly grid: readonly [number, number, number];
  readonly block: readonly [number, number, number];
  readonly registers: number | null;
  /** Bytes for each block. */
  readonly staticShared: number | null;
  readonly dynamicShared: number | null;
}

export type Direction = 'HtoD' | 'DtoH' | 'DtoD' | 'HtoH' | 'PtoP' | 'UVM_HtoD' | 'UVM_DtoH' | 'UVM_DtoD' | 'unknown';
export type MemoryKind = 'pageable' | 'pinned' | 'device' | 'array' | 'managed' | 'unknown';

/** Where copies go from and to. */
export interface Route {
  readonly direction: Direction;
  readonly from: MemoryKind;
  readonly to: MemoryKind;
  /** Why managed memory moved (1 user, 2 coherence, 3 prefetch, 4 eviction, 5 access counters); null where not told. */
  readonly migrationCause: number | null;
}

export interface Stream {
  /** Index in `Trace.devices`. */
  readonly device: number;
  readonly process: number;
  readonly context: number | null;
  /** The number as the tool prints it. */
  readonly id: number;
  /**
   * `legacy`: the default stream that waits for the others (7 in CUPTI's numbering); `per-thread`: default streams that
   * do not (calls named _ptsz, _ptds); `other`: one that the program created.
   */
  readonly role: 'legacy' | 'per-thread' | 'other';
  /** Whether it waits for the legacy default stream, as it was created; absent where the trace does not say. */
  readonly blocking?: boolean;
}

export interface TraceDevice {
  /** The number as the tool prints it. */
  readonly id: number;
  readonly name: string | null;
  readonly computeCapability: string | null;
  readonly sms: number | null;
  readonly memoryBytes: number | null;
  /** Bytes a second. */
  readonly bandwidth: number | null;
  readonly clockHz: number | null;
  readonly uuid: string | null;
}

/** Waits and events between streams, where the trace records them. */
export interface Synchronisation {
  readonly kind: 'event' | 'stream-wait-event' | 'stream' | 'context' | 'event-record';
  readonly start: number;
  readonly end: number;
  /** Index in `Trace.streams`; -1 where none. */
  readonly stream: number;
  /** Number of the event; null where not told. */
  readonly event: number | null;
  /** The stream whose event is waited for, index in `Trace.streams`; absent where not told. */
  readonly waitsFor?: number;
}

/** Faults of managed memory. */
export interface PageFaults {
  readonly count: number;
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** Pages of the row (1 for a CPU fault). */
  readonly pages: Float64Array;
  /** Index in `Trace.devices`; -1 for a fault of the CPU. */
  readonly device: Int16Array;
  /** Address of the page; 0 where not told. Above 2^53 it is rounded. */
  readonly address: Float64Array;
}

/** Named stretches on the CPU: NVTX ranges, steps of a profiler, data loaders, compilations. */
export interface Range {
  readonly start: number;
  readonly end: number;
  readonly name: string;
  /** Index in `Trace.threads`; -1 where not told. */
  readonly thread: number;
  readonly kind: 'step' | 'loader' | 'compile' | 'wait' | 'other';
}

/** A collective operation that a kernel of NCCL carries out. */
export interface Collective {
  readonly operation: string | null;
  readonly group: string | null;
  readonly elements: number | null;
  readonly type: string | null;
}

/** A counter that was sampled beside the events (clocks, use of units). */
export interface SampledMetric {
  readonly device: number;
  readonly name: string;
  readonly unit: string | null;
  readonly samples: number;
  readonly mean: number;
  readonly least: number;
  readonly most: number;
}

/** A line that can be quoted: the row or line of an event and its text. */
export interface TraceQuote {
  /** Line of a text, or row of a table, from 1. */
  readonly line: number;
  readonly text: string;
}

/** One row of a summary: `nsys stats` counts calls, kernels and copies without telling when they were. */
export interface SumRow {
  readonly name: string;
  readonly count: number;
  readonly totalNs: number;
  readonly medianNs: number | null;
  readonly maxNs: number | null;
  readonly quote: TraceQuote;
  /** Of kernels, where the table has a row for each grid. */
  readonly shape?: Pick<Shape, 'grid' | 'block'>;
}

/** What a rule of `nsys analyze` lists: a copy or a memset that blocks, a wait, a pause of the GPU, a stretch of little use. */
export interface AdviceRow {
  readonly rule: 'copy' | 'memset' | 'wait' | 'gap' | 'use';
  readonly startNs: number;
  readonly durationNs: number;
  readonly call: string;
  readonly from: MemoryKind;
  readonly to: MemoryKind;
  readonly bytes: number | null;
  /** Of a stretch: how much of it the GPU works, 0 to 100. */
  readonly usePercent: number | null;
  readonly quote: TraceQuote;
}

/** What a profiler says beside its tables. */
export interface ProfilerNote {
  /**
   * `skipped-gpu`: nothing of kernels or copies was recorded; `skipped`: another report is empty; `no-kernels`: it saw no kernel;
   * `refused`: it does not know the GPU; `no-importer`: the recording was not turned into a report; `no-rights`: it may not read
   * the GPU's records; `quiet-rule`: a rule of `nsys analyze` found nothing; `other-table`: times of the CPU alone; `counters`: counters of single kernels, without times; `made`: it ran.
   */
  readonly kind:
    | 'skipped-gpu'
    | 'skipped'
    | 'no-kernels'
    | 'refused'
    | 'no-importer'
    | 'no-rights'
    | 'quiet-rule'
    | 'other-table'
    | 'counters'
    | 'made';
  readonly quote: TraceQuote;
}

/** Sums of one rank of a text that holds those of several. */
export interface RankSums {
  readonly rank: number;
  readonly kernels: readonly SumRow[];
}

/** What a trace without events holds; null where a table is absent. */
export interface TraceSums {
  readonly kernels: readonly SumRow[] | null;
  readonly calls: readonly SumRow[] | null;
  /** Names as `HtoD`, `UVM_HtoD`, `memset`. */
  readonly copies: readonly SumRow[] | null;
  readonly copyBytes:
    | readonly {
        readonly direction: Direction;
        readonly count: number;
        readonly bytes: number;
        readonly quote: TraceQuote;
      }[]
    | null;
  readonly faults: {
    readonly gpu: number | null;
    readonly cpu: number | null;
    /** Time in which the GPU answers its faults, where that is told. */
    readonly ns?: number | null;
    readonly quote: TraceQuote;
  } | null;
  /** Stretches that the program named on the CPU (NVTX). */
  readonly ranges?: readonly SumRow[] | null;
  readonly advice?: readonly AdviceRow[];
  readonly notes?: readonly ProfilerNote[];
  /** Name of the GPU, where the text tells it. */
  readonly gpu?: string | null;
  /** Of every rank, where there are several. */
  readonly ranks?: readonly RankSums[];
}

export type TraceFormat = 'nsys-sqlite' | 'nsys-stats' | 'kineto' | 'chrome';

/** A trace of one process group on one host, or of one rank. */
export interface Trace {
  readonly format: TraceFormat;
  readonly file: string | null;
  /** What made it, as it says itself: `Nsight Systems 2025.3.1.90`. */
  readonly producer: string | null;
  /** Rank in a job of several; null where it is alone or does not say. */
  readonly rank: number | null;
  readonly ranks: number | null;
  /** What the times count from, in ns of the trace's own clock. */
  readonly zero: bigint;
  readonly devices: readonly TraceDevice[];
  readonly streams: readonly Stream[];
  readonly threads: readonly { readonly process: number; readonly thread: number; readonly name: string | null }[];
  readonly names: readonly string[];
  readonly shapes: readonly Shape[];
  readonly routes: readonly Route[];
  readonly work: Work;
  readonly calls: Calls;
  readonly synchronisations: readonly Synchronisation[];
  readonly faults: PageFaults;
  readonly ranges: readonly Range[];
  /** By index in `work`. */
  readonly collectives: ReadonlyMap<number, Collective>;
  readonly metrics: readonly SampledMetric[];
  /** First event of each name on each stream, key `work:NAME:STREAM`, and first call of each name, key `call:NAME` (indices). */
  readonly quotes: ReadonlyMap<string, TraceQuote>;
  /** Present where the input holds sums and no events. */
  readonly sums: TraceSums | null;
  /** What the trace cannot show because it was not recorded: `synchronisations`, `page-faults`, `calls`, `graph-nodes`, `ranges`. */
  readonly notRecorded: readonly string[];
  /** What was not read or left out, in words for the user. */
  readonly left: readonly string[];
  /** True where the file is cut off or damaged: what is not in the trace may have happened. */
  readonly partial: boolean;
}

/** A number of a trace against a threshold. */
export interface TraceMeasured {
  readonly name: string;
  readonly value: number;
  readonly is: '>=' | '<=' | '<' | '>';
  readonly threshold: number;
  readonly unit: string;
}

/** A stretch of the time line that a finding marks. */
export interface TraceMark {
  readonly from: number;
  readonly to: number;
  /** Indices in `Trace.streams`; empty for all. */
  readonly streams: readonly number[];
  readonly label: string;
}

/** What a trace shows of one cause. */
export interface TraceFinding {
  readonly cause: string;
  readonly kind: 'waste' | 'healthy' | 'unclear';
  readonly certainty: Certainty;
  /** One line: lower case, real values, no cure. */
  readonly message: string;
  readonly measured: readonly TraceMeasured[];
  /** Upper bound of what the cure brings; null where it cannot be bounded. */
  readonly saving: { readonly upperBoundNs: number; readonly how: string } | null;
  /** Time that this cause itself takes, which orders findings; left out where it is the saving. */
  readonly costNs?: number;
  /** Causes that follow from this one. */
  readonly explains?: readonly string[];
  readonly quotes: readonly { readonly file: string | null; readonly quote: TraceQuote }[];
  /** At most 500. */
  readonly marks: readonly TraceMark[];
  readonly missing?: { readonly fact: string; readonly ask: string };
  /** True of what is well in nearly every program: it names no verdict where anything else is seen to be well. */
  readonly incidental?: boolean;
}
