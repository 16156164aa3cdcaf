import type { Action, Program } from './program.ts';

/** Ways to bring batches to a GPU. */
export const copySetups = ['pageable', 'pageable-async', 'pinned', 'pinned-overlapped'] as const;
export type CopySetup = (typeof copySetups)[number];

export interface CopyScene {
  readonly setup: CopySetup;
  readonly batchBytes: number;
  /** Bytes a second of page-locked memory. */
  readonly linkRate: number;
  /** Part of it that pageable memory reaches, because the host copies it once more; above 0, 1 at most. */
  readonly pageableShare: number;
  readonly kernelUs: number;
  readonly batches: number;
}

/**
 * Each batch is copied and then worked on: with cudaMemcpy of pageable memory; the same asked for asynchronously in two
 * streams; of page-locked memory in the stream of the kernel; and of page-locked memory in two streams that take turns.
 */
export function copyProgram(scene: CopyScene): Program {
  const { setup, batchBytes, linkRate, pageableShare, kernelUs, batches } = scene;
  const memory = setup === 'pageable' || setup === 'pageable-async' ? 'pageable' : 'pinned';
  const rate = memory === 'pageable' ? linkRate * pageableShare : linkRate;
  const two = setup === 'pageable-async' || setup === 'pinned-overlapped';
  const actions = Array.from({ length: batches }, (_, at): readonly Action[] => {
    const stream = setup === 'pageable' ? 7 : two && at % 2 === 1 ? 14 : 13;
    return [
      {
        does: 'copy',
        stream,
        direction: 'HtoD',
        memory,
        blocking: setup === 'pageable',
        bytes: batchBytes,
        us: (batchBytes / rate) * 1e6,
      },
      { does: 'kernel', stream, name: 'train_step', us: kernelUs, share: 1 },
    ];
  });
  return {
    streams:
      setup === 'pageable'
        ? [{ id: 7, kind: 'legacy' }]
        : (two ? [13, 14] : [13]).map((id) => ({ id, kind: 'blocking' as const })),
    threads: [[...actions.flat(), { does: 'synchronise', stream: null }]],
    launchUs: 4,
    latencyUs: 2,
  };
}
