import type { Knowledge } from '@culprit/core/knowledge/knowledge';
import type { KernelResources } from '@culprit/core/occupancy/ptxas';
import { kernelsOfText } from '@culprit/core/occupancy/sources';
import type { Call } from './commands/command.ts';
import { toolError } from './errors.ts';
import { readText } from './read-text.ts';

/**
 * Kernels and their resources of a file: what the assembler printed, or a profile.
 * @throws CulpritError (exit 4) where it holds none
 */
export async function readKernels(
  name: string,
  _call: Call,
  knowledge: Knowledge,
  _wanted: string | undefined,
): Promise<readonly KernelResources[]> {
  const read = kernelsOfText(readText(name), knowledge);
  if (read === null)
    throw toolError(
      'no-input',
      `${name === '-' ? 'standard input' : name} holds no kernels`,
      'a library, cubin or fat binary, the output of nvcc -Xptxas -v, or a profile of Nsight Compute as CSV is read',
    );
  return read.kernels;
}
