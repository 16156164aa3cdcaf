/*
 * A program as the scheduler plays it: what each thread of the host asks for, call by call. Times are µs.
 */

/**
 * `legacy`: the default stream that waits for the blocking ones; `per-thread`: the default stream of a thread, which is
 * blocking; `blocking` and `non-blocking`: as cudaStreamCreateWithFlags makes them.
 */
export type StreamKind = 'legacy' | 'per-thread' | 'blocking' | 'non-blocking';

export interface SceneStream {
  /** As a profile prints it. */
  readonly id: number;
  readonly kind: StreamKind;
}

/** A kernel of a graph; `after` are places of nodes before it, `stream` the lane it is drawn on. */
export interface GraphNode {
  readonly name: string;
  readonly us: number;
  readonly share: number;
  readonly stream: number;
  readonly after: readonly number[];
}

export type Action =
  /** A launch; `share` is the part of the GPU that the kernel fills, above 0, 1 at most. */
  | {
      readonly does: 'kernel';
      readonly stream: number;
      readonly name: string;
      readonly us: number;
      readonly share: number;
    }
  /** A copy; `blocking` is cudaMemcpy. From pageable memory the host is kept until the bytes are staged, either way. */
  | {
      readonly does: 'copy';
      readonly stream: number;
      readonly direction: 'HtoD' | 'DtoH';
      readonly memory: 'pinned' | 'pageable';
      readonly blocking: boolean;
      readonly bytes: number;
      readonly us: number;
    }
  | { readonly does: 'record'; readonly stream: number; readonly event: string }
  | { readonly does: 'wait'; readonly stream: number; readonly event: string }
  /** A wait of the host: for a stream, or for all where it is null. */
  | { readonly does: 'synchronise'; readonly stream: number | null }
  | { readonly does: 'graph'; readonly stream: number; readonly nodes: readonly GraphNode[] }
  /** The host does something else. */
  | { readonly does: 'compute'; readonly us: number };

export interface Program {
  readonly streams: readonly SceneStream[];
  /** What each thread asks for, in its order. */
  readonly threads: readonly (readonly Action[])[];
  /** What a launch keeps the host, and what it takes from there to the GPU. */
  readonly launchUs: number;
  readonly latencyUs: number;
}

/** Work of the GPU with its place in time. */
export interface PlacedWork {
  readonly kind: 'kernel' | 'copy';
  readonly name: string;
  readonly stream: number;
  readonly from: number;
  readonly to: number;
  /** Index in `Played.calls`. */
  readonly call: number;
  readonly bytes: number;
  readonly direction: 'HtoD' | 'DtoH' | null;
  readonly memory: 'pinned' | 'pageable' | null;
  /** Place in its graph, from 1; 0 for work of none. */
  readonly node: number;
}

export interface PlacedCall {
  readonly name: string;
  readonly thread: number;
  readonly from: number;
  readonly to: number;
}

/** What the scheduler made of a program. */
export interface Played {
  readonly streams: readonly SceneStream[];
  readonly work: readonly PlacedWork[];
  readonly calls: readonly PlacedCall[];
}
