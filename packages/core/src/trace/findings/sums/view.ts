import type { SumRow, Trace, TraceFinding, TraceSums } from '../../model.ts';
import { callKindOf, plainCallName } from '../../calls.ts';
import { callKinds } from '../../model.ts';
import { isLaunchName } from '../../launch-calls.ts';

/** Sums as the findings need them; times in ns. */
export interface SumsView {
  readonly file: string | null;
  readonly sums: TraceSums;
  readonly kernels: readonly SumRow[];
  /** Of all kernels; of those of NCCL; of the rest. */
  readonly kernelNs: number;
  readonly kernelCount: number;
  readonly nccl: readonly SumRow[];
  readonly ncclNs: number;
  readonly computeNs: number;
  /** Copies between host and device that the program asks for. */
  readonly copies: readonly SumRow[];
  readonly copyNs: number;
  readonly copyCount: number;
  /** Longest stretch that the steps of the program cover, by its own ranges; null where it names none. */
  readonly wall: Wall | null;
  readonly calls: readonly SumRow[];
  /** Calls that make the CPU wait for the GPU. */
  readonly waits: readonly SumRow[];
  readonly launches: readonly SumRow[];
}

/** A range of the program that stands for its wall time. */
export interface Wall {
  readonly row: SumRow;
  readonly ns: number;
}

export function total(rows: readonly SumRow[]): number {
  return rows.reduce((sum, { totalNs }) => sum + totalNs, 0);
}

/** The time without one that took longer than all others together: a start, or a pause for a checkpoint. */
export function steadyNs({ count, totalNs, maxNs }: SumRow): number {
  return maxNs !== null && count > 1 && 2 * maxNs > totalNs && maxNs <= totalNs ? totalNs - maxNs : totalNs;
}

export function steady(rows: readonly SumRow[]): number {
  return rows.reduce((sum, row) => sum + steadyNs(row), 0);
}

export function countOf(rows: readonly SumRow[]): number {
  return rows.reduce((sum, { count }) => sum + count, 0);
}

export function isNcclKernel({ name }: SumRow): boolean {
  return /^nccl/i.test(name);
}

const waiting: readonly number[] = [callKinds.deviceSync, callKinds.streamSync, callKinds.eventSync];

/** What a range is about, by words in its name; domains stand before a colon. */
export function isLoading(name: string): boolean {
  const text = plainRange(name);
  if (
    /off_?load|work_?load|load_?(?:state|model|weight|checkpoint|ckpt)|(?:model|weights?|checkpoint|ckpt)_?load|htod|h2d|to_?(?:gpu|device|cuda)|upload|unload/.test(
      text,
    )
  )
    return false;
  return /data_?(?:load|loading|loader|fetch|wait|time|read|prep|iter|next|stall)|dataloader|dataset|^data$|(?:next|get|fetch|load|read|wait_?(?:for_?)?)_?(?:a_?|the_?)?(?:next_?)?(?:mini_?)?(?:batch|sample|input|data|image|frame|example)|^(?:load|loading|loader|fetch|input|inputs)(?:_|$)|(?:_|^)(?:fetch|loader|loading)(?:_|$)|input_?(?:pipeline|load|fetch|wait|queue)|pre_?process|augment|(?:image|jpe?g|video|png|pil|audio|cv2?)_?decode|decode_?(?:image|jpe?g|video|png|pil|audio)|tokeni[sz]e|collate|enumerate|__next__|read_?(?:file|disk|shard|record)/.test(
    text,
  );
}

/** `data_loading` of `train:Data loading #12`. */
export function plainRange(name: string): string {
  return name
    .replace(/^[^:]{0,80}:(?=\S)/, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]{1,40}/g, '_')
    .replaceAll(/^_|_$/g, '')
    .replaceAll(/_?\d{1,9}(?=_|$)/g, '');
}

const stepping =
  /step|iter|epoch|batch|train|infer|loop|main|solve|run|request|generat|frame|rollout|predict|simulat|episode|forward_backward|time_?stamp|total/;

/** Ranges of libraries are parts of steps. */
const ofLibrary = /^(?:NCCL|cuBLAS|cuDNN|cuSPARSE|cuSOLVER|TensorRT|CCCL|thrust|cub|nvtx\.|aten)\b/;

function wallOf(ranges: readonly SumRow[]): Wall | null {
  const [longest] = ranges
    .filter(
      ({ name, totalNs }) =>
        totalNs > 0 && !ofLibrary.test(name) && !isLoading(name) && stepping.test(plainRange(name)),
    )
    .toSorted((a, b) => b.totalNs - a.totalNs);
  return longest === undefined ? null : { row: longest, ns: longest.totalNs };
}

/** @param trace one that holds sums alone */
export function viewOf({ sums, file }: Trace): SumsView | null {
  if (sums === null) return null;
  const kernels = (sums.kernels ?? []).toSorted((a, b) => b.totalNs - a.totalNs);
  const nccl = kernels.filter(isNcclKernel);
  const copies = (sums.copies ?? []).filter(({ name }) => name === 'HtoD' || name === 'DtoH');
  const calls = sums.calls ?? [];
  return {
    file,
    sums,
    kernels,
    kernelNs: total(kernels),
    kernelCount: countOf(kernels),
    nccl,
    ncclNs: total(nccl),
    computeNs: total(kernels) - total(nccl),
    copies,
    copyNs: total(copies),
    copyCount: countOf(copies),
    wall: wallOf(sums.ranges ?? []),
    calls,
    waits: calls.filter(({ name }) => waiting.includes(callKindOf(plainCallName(name)))),
    launches: calls.filter(({ name }) => isLaunchName(name)),
  };
}

export function quotesOf(
  view: Pick<SumsView, 'file'>,
  rows: readonly (Pick<SumRow, 'quote'> | undefined)[],
): TraceFinding['quotes'] {
  return rows.flatMap((row) => (row === undefined ? [] : [{ file: view.file, quote: row.quote }])).slice(0, 6);
}
