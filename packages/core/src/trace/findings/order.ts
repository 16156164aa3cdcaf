import { callKinds, workKinds } from '../model.ts';
import type { Detector } from './detector.ts';
import { unclear } from './detector.ts';

/** Which library a kernel is of, by its name; what is not listed is the program's own. */
const libraries: readonly (readonly [RegExp, string])[] = [
  [/^nccl/, 'NCCL'],
  [/cudnn|implicit_convolve|xmma_fprop|xmma_dgrad|xmma_wgrad/i, 'cuDNN'],
  [/cublas|cutlass|_gemm_|^sm\d+_xmma|gemv/i, 'cuBLAS'],
  [/cufft|\bregular_fft|vector_fft/i, 'cuFFT'],
  [/cusparse|csrmv|spmm/i, 'cuSPARSE'],
  [/thrust|cub::/i, 'CUB'],
  [/at::native|at::cuda/, 'PyTorch'],
  [/^triton_/, 'Triton'],
];

/** Calls that order streams, or let the CPU wait. */
const ordering: ReadonlySet<number> = new Set([
  callKinds.streamWaitEvent,
  callKinds.deviceSync,
  callKinds.streamSync,
  callKinds.eventSync,
  callKinds.copy,
  callKinds.free,
]);

/**
 * Streams of two libraries that one thread feeds in turn, with nothing that orders them. Which buffers they use cannot be
 * seen, so this is a suspicion and never more; the legacy default stream orders those that are blocking by itself.
 */
export const order: Detector = (scene, limits) => {
  const { trace } = scene;
  const { calls, work, names, streams } = trace;
  if (trace.notRecorded.includes('calls')) return [];
  const own = scene.streams.filter((use) => use.kernels >= limits['kernels']! && use.stream.role !== 'legacy');
  if (own.length < 2) return [];
  const libraryOf = names.map((name) => libraries.find(([test]) => test.test(name.slice(0, 400)))?.[1] ?? null);
  const streamOfCall = new Int32Array(calls.count).fill(-1);
  const nameOfCall = new Int32Array(calls.count).fill(-1);
  for (const use of own)
    for (const row of use.rows) {
      const call = work.call[row]!;
      if (call < 0 || work.kind[row] !== workKinds.kernel) continue;
      streamOfCall[call] = use.index;
      nameOfCall[call] = work.name[row]!;
    }
  // The last launch of each thread since something ordered the streams.
  const last = new Map<number, number>();
  const turns = new Map<string, { count: number; readonly from: number; readonly to: number }>();
  for (const call of scene.calls) {
    const thread = calls.thread[call]!;
    if (ordering.has(calls.kind[call]!)) last.clear();
    if (streamOfCall[call]! < 0) continue;
    const before = last.get(thread) ?? -1;
    last.set(thread, call);
    if (before < 0 || streamOfCall[before] === streamOfCall[call]) continue;
    const [a, b] = [libraryOf[nameOfCall[before]!]!, libraryOf[nameOfCall[call]!]!];
    if (a === null || b === null || a === b) continue;
    const key = `${streamOfCall[before]!} ${streamOfCall[call]!}`;
    const known = turns.get(key);
    if (known === undefined) turns.set(key, { count: 1, from: before, to: call });
    else known.count++;
  }
  const [most] = [...turns.values()].sort((a, b) => b.count - a.count);
  if (most === undefined || most.count < 2 * limits['repeats']!) return [];
  const called = (call: number): string =>
    `stream ${streams[streamOfCall[call]!]!.id} (${libraryOf[nameOfCall[call]!] ?? ''})`;
  return [
    unclear(
      'streams-without-order',
      `${called(most.from)} and ${called(most.to)} get work in turn ${most.count} times, and no event or wait orders them: if they use the same buffers, that is a race`,
      {
        fact: `whether ${called(most.from)} and ${called(most.to)} use the same buffers`,
        ask: 'CUDA_LAUNCH_BLOCKING=1 ./app   # other results than without it: the streams race',
      },
      [scene.quoteCall(most.from), scene.quoteCall(most.to)],
    ),
  ];
};
