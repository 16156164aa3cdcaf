import { launchFlags } from '../launch-flags.ts';
import type { Command } from './command.ts';

export const occupancy: Command = {
  name: 'occupancy',
  summary: 'how many blocks and warps of a kernel an SM holds, what limits them, and how a grid fills the GPU',
  arguments: '--gpu NAME [--block N] [--registers N] [--shared BYTES] [--grid N] …',
  details: [
    'The numbers are those of the calculator that ships with CUDA. A block size that is not given is the best one. Sizes are bytes, or with a K: 48K.',
    'With --grid it tells waves, the tail, SMs without work and the smallest grid that fills the part, and what nvidia-smi and DCGM would show of it. A MIG instance is named with its GPU: "H100 MIG 1g.10gb".',
    'Kernels can come from a file (--from): a library, cubin or fat binary, the output of nvcc -Xptxas -v, or a profile of Nsight Compute as CSV.',
    '--rows answers a table of launches: columns id, cc, num_sms, block_size, regs_per_thread, static_smem, dynamic_smem, smem_limit, max_dynamic_smem, carveout, cache_config, max_threads_per_block, barriers, partitioned_gc, virtual_resources, var_smem_per_thread, var_smem_base, query_blocks; the answers are added as columns.',
  ],
  flags: [
    ...launchFlags,
    { name: 'from', value: 'FILE', summary: 'take kernels from a binary, from ptxas -v output or from a profile' },
    { name: 'kernel', short: 'k', value: 'NAME', summary: 'kernel of that file: its name, or a part of it' },
    {
      name: 'curve',
      value: 'WHAT',
      summary: 'draw occupancy against a resource',
      choices: ['block', 'registers', 'shared', 'all'],
    },
    { name: 'rows', value: 'FILE', summary: 'answer a table of launches (CSV); - is standard input' },
  ],
  formats: ['text', 'json', 'markdown', 'csv', 'svg'],
  examples: [
    { command: 'culprit occupancy --gpu H100 --block 256 --registers 64', does: 'occupancy and its limits' },
    { command: 'culprit occupancy --gpu H100 --block 256 --registers 64 --grid 133', does: 'waves, tail and idle SMs' },
    { command: 'culprit occupancy --gpu "H100 MIG 1g.10gb" --grid 64', does: 'the same on a slice' },
    { command: 'culprit occupancy --from libfoo.so --kernel scan --gpu L40S', does: 'a kernel of a library' },
    {
      command: 'nvcc -Xptxas -v -c foo.cu 2>&1 | culprit occupancy --from - --gpu A100',
      does: 'kernels as they are compiled',
    },
    { command: 'culprit occupancy --gpu A100 --block 256 --registers 80 --format svg', does: 'curves as a drawing' },
    { command: 'culprit occupancy --rows launches.csv', does: 'a table with the answer columns' },
  ],
  exits: [
    { status: 0, when: 'it was computed' },
    { status: 1, when: 'the kernel cannot launch like this' },
    { status: 3, when: 'it cannot be told, as for a compute capability that is not known' },
  ],
  load: async () => (await import('./occupancy.ts')).run,
};
