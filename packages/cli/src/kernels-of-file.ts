import { closeSync, openSync, readSync } from 'node:fs';
import { readBinary } from '@culprit/collect/binary';
import { whyUnreadable } from '@culprit/collect/unreadable';
import { kindOf } from '@culprit/core/binary/inspect';
import type { Knowledge } from '@culprit/core/knowledge/knowledge';
import type { Place } from '@culprit/core/occupancy/place';
import type { KernelResources } from '@culprit/core/occupancy/ptxas';
import { kernelsOfText, loadableOn, ofCompiled } from '@culprit/core/occupancy/sources';
import type { Call } from './commands/command.ts';
import { toolError } from './errors.ts';
import { readText } from './read-text.ts';

/**
 * Kernels and their resources of a file: machine code, what the assembler printed, or a profile.
 * @param place where they are to run: other machine code is not unpacked
 * @throws CulpritError (exit 4) where it holds none
 */
export async function readKernels(
  name: string,
  place: Place | null,
  call: Call,
  knowledge: Knowledge,
): Promise<readonly KernelResources[]> {
  if (name !== '-' && kindOf(headOf(name)) !== null) return compiled(name, place, call);
  const read = kernelsOfText(readText(name), knowledge);
  if (read === null)
    throw toolError(
      'no-input',
      `${name === '-' ? 'standard input' : name} holds no kernels`,
      'a library, cubin or fat binary, the output of nvcc -Xptxas -v, or a profile of Nsight Compute as CSV is read',
    );
  return read.kernels;
}

async function compiled(name: string, place: Place | null, call: Call): Promise<readonly KernelResources[]> {
  const read = async (archs: readonly string[] | null): ReturnType<typeof readBinary> =>
    readBinary(name, { kernels: 'all', ...(archs !== null && { archs }) });
  let { file, unread } = await read(place === null ? null : loadableOn(place.limits.computeCapability));
  // Nothing for this GPU: what there is instead is worth telling.
  if (place !== null && (file?.kernels ?? []).length === 0) ({ file, unread } = await read(null));
  for (const each of unread.slice(0, 5)) call.output.note(`culprit: ${each.path} at ${each.offset}: ${each.reason}`);
  const kernels = (file?.kernels ?? []).map(ofCompiled);
  if (kernels.length > 0) return kernels;
  const ptx = file?.code.ptx ?? [];
  throw toolError(
    'no-input',
    `${name} holds no kernels in machine code`,
    ptx.length === 0
      ? null
      : `it holds PTX for ${ptx.join(', ')}; what a driver makes of it has registers that no file tells`,
  );
}

function headOf(name: string): Uint8Array {
  const head = new Uint8Array(64);
  try {
    const file = openSync(name, 'r');
    try {
      return head.subarray(0, readSync(file, head));
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const { reason, hint } = whyUnreadable(error);
    throw toolError('no-input', `${name} could not be read: ${reason}`, hint);
  }
}
