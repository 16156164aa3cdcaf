import type { Action, Program, SceneStream } from './program.ts';

/** Ways to give a GPU the same work: two branches, and a third kernel that a library launches. */
export const streamSetups = ['default-stream', 'own-streams', 'non-blocking', 'events', 'per-thread', 'graph'] as const;
export type StreamSetup = (typeof streamSetups)[number];

/** What each kernel of a scene is like. */
export interface StreamScene {
  readonly setup: StreamSetup;
  readonly kernelUs: number;
  /** Part of the GPU that one kernel fills, above 0, 1 at most. */
  readonly share: number;
  readonly steps: number;
}

const legacy = 7;
const [left, right, third] = [13, 14, 15];

/**
 * Each step launches `left`, `right` and `reduce`. The third kernel goes to the legacy default stream (`default-stream`,
 * `non-blocking`), to a stream of its own, waits for the other two by events, comes from a thread of its own as they do,
 * or all three are one CUDA graph.
 */
export function streamProgram({ setup, kernelUs, share, steps }: StreamScene): Program {
  const kernel = (name: string, stream: number): Action => ({ does: 'kernel', name, stream, us: kernelUs, share });
  const kind = setup === 'per-thread' ? 'per-thread' : setup === 'non-blocking' ? 'non-blocking' : 'blocking';
  const branches: readonly SceneStream[] = [left, right].map((id) => ({ id, kind }));
  const last: SceneStream =
    setup === 'default-stream' || setup === 'non-blocking' ? { id: legacy, kind: 'legacy' } : { id: third, kind };
  const streams = [...branches, last];
  const finish: Action = { does: 'synchronise', stream: null };
  const timing = { launchUs: 4, latencyUs: 2 };
  const each = (actions: readonly Action[]): readonly Action[] => [
    ...Array.from({ length: steps }, () => actions).flat(),
    finish,
  ];
  switch (setup) {
    case 'per-thread':
      return {
        streams,
        ...timing,
        threads: [each([kernel('left', left)]), each([kernel('right', right)]), each([kernel('reduce', third)])],
      };
    case 'graph': {
      const node = (name: string, stream: number, after: readonly number[]) => ({
        name,
        us: kernelUs,
        share,
        stream,
        after,
      });
      const nodes = [node('left', left, []), node('right', right, []), node('reduce', left, [0, 1])];
      return { streams: branches, ...timing, threads: [each([{ does: 'graph', stream: left, nodes }])] };
    }
    case 'events':
      return {
        streams,
        ...timing,
        threads: [
          each([
            kernel('left', left),
            { does: 'record', stream: left, event: 'left' },
            kernel('right', right),
            { does: 'record', stream: right, event: 'right' },
            { does: 'wait', stream: third, event: 'left' },
            { does: 'wait', stream: third, event: 'right' },
            kernel('reduce', third),
          ]),
        ],
      };
    case 'default-stream':
    case 'own-streams':
    case 'non-blocking':
      return {
        streams,
        ...timing,
        threads: [each([kernel('left', left), kernel('right', right), kernel('reduce', last.id)])],
      };
  }
}
