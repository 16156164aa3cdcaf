import type { Knowledge } from '../../knowledge/knowledge.ts';
import { tablesOf } from '../tables.ts';
import type { Draft } from './draft.ts';
import { readCompat, readDriver, readPlatform, readServed } from './read-host.ts';
import { readContainer } from './read-container.ts';
import { readGpu } from './read-gpu.ts';
import {
  readBinary,
  readCapability,
  readDriverCall,
  readLibraries,
  readNumberedTargets,
  readToolkit,
  readWheel,
} from './read-program.ts';
import { startReading } from './reading.ts';
import type { Reading } from './reading.ts';

/**
 * The parts of a question that a text names, and what of the text is left. With `served` a CUDA version that
 * nvidia-smi is said to show stands for a driver of that branch.
 */
export function readParts(
  text: string,
  knowledge: Knowledge,
  served = false,
): {
  readonly draft: Draft;
  readonly reading: Reading;
  /** Every known GPU that is named. */
  readonly gpus: readonly { readonly text: string; readonly at: number }[];
} {
  const tables = tablesOf(knowledge);
  const reading = startReading(text);
  const draft: Draft = {};
  readContainer(reading, draft);
  readCompat(reading, draft);
  readPlatform(reading, draft);
  readLibraries(reading, draft);
  readWheel(reading, draft);
  readNumberedTargets(reading, draft);
  readCapability(reading, draft);
  readDriverCall(reading, draft);
  readDriver(reading, draft, tables);
  if (served) readServed(reading, draft, tables);
  if (!/(?<![a-z0-9])(?:sm|compute)[_-]?\d/.test(reading.lower)) readToolkit(reading, draft);
  const gpus = readGpu(reading, draft, tables.gpus).map(({ name, at }) => ({ text: name, at }));
  readBinary(reading, draft);
  // `Triton 23.10 (nvcr.io/nvidia/tritonserver:23.10-py3)` names the image twice.
  if (
    draft.image !== undefined &&
    draft.wheel?.version !== undefined &&
    draft.image.includes(`:${draft.wheel.version}`) &&
    draft.wheel.variant === undefined
  )
    delete draft.wheel;
  if (draft.toolkit === undefined) readToolkit(reading, draft);
  if (
    draft.wheel !== undefined &&
    draft.wheel.variant === undefined &&
    draft.toolkit !== undefined &&
    draft.nccl === undefined &&
    draft.cudnn === undefined
  ) {
    settleVariant(draft);
  }
  return { draft, reading, gpus };
}

/** `torch 2.7 with CUDA 12.8`: the CUDA version names the variant of the wheel. */
function settleVariant(draft: Draft): void {
  const [major, minor] = (draft.toolkit ?? '').split('.');
  if (draft.wheel === undefined || major === undefined) return;
  const torch = draft.wheel.name === 'torch';
  if (torch && minor === undefined) return;
  draft.wheel = { ...draft.wheel, variant: torch || minor !== undefined ? `cu${major}${minor ?? ''}` : `cuda${major}` };
  delete draft.toolkit;
}
