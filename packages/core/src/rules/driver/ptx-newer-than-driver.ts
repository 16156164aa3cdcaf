import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { jitReads } from '../../compat/binary-arch.ts';
import { tablesOf } from '../../compat/tables.ts';
import { formatCudaMinor, parseCuda } from '../../versions/cuda.ts';
import { captured, own, saidOf, seenOf, servedCuda, wantedCuda } from './_machine.ts';

export const ptxNewerThanDriver: Rule = defineRule({
  id: 'driver/ptx-newer-than-driver',
  summary: 'The PTX of the program is newer than the compiler in the driver can read',
  needs: [],
  anyOf: ['said.cuda-unsupported-ptx-toolchain', 'said.ptx-linked-by-driver', 'said.ptxas-unsupported-version'],
  uses: [
    'driver.version',
    'driver.module',
    'driver.cuda',
    'torch.cuda',
    'toolkit.runtime',
    'toolkit.nvcc',
    'toolkit.installed',
    'toolkit.ptx-isa',
    'package',
  ],
  citations: ['cuda-minor-version-compat', 'ptx-isa'],
  explains: [
    'said.cuda-*',
    'said.ptxas-unsupported-version',
    'said.ptx-linked-by-driver',
    'said.numba-*',
    'said.pt-*',
    'said.triton-*',
    'framework/*',
    'toolkit/*',
    'application/*',
  ],
  check(_, context) {
    const errors = saidOf(context, 'cuda-unsupported-ptx-toolchain');
    const linked = saidOf(context, 'ptx-linked-by-driver');
    const need = captured(linked, 'need');
    const have = captured(linked, 'have');
    const isa = context.knowledge.ptxIsa;
    const cudaOf = (text: string | undefined): string => {
      const row = isa.find((each) => each.ptxIsa === text);
      return row === undefined ? '' : ` (CUDA ${row.cuda})`;
    };
    const remedies = [
      {
        actor: 'node-admin' as const,
        do: 'upgrade the driver to a branch that serves the CUDA version of the compiler',
        command: 'nvidia-smi --query-gpu=driver_version --format=csv,noheader',
      },
      {
        actor: 'developer' as const,
        do: 'or build with a toolkit that is no newer than the driver, or ship machine code for this GPU, so that nothing is compiled at run time',
        command: 'nvcc -gencode arch=compute_XY,code=sm_XY',
      },
      {
        actor: 'developer' as const,
        do: 'for Numba on CUDA 12 use minor version compatibility',
        command: 'NUMBA_CUDA_ENABLE_PYNVJITLINK=1',
      },
    ];
    if (need !== undefined && have !== undefined) {
      return {
        kind: 'fault',
        certainty: linked.every((fact) => fact.told) ? 'likely' : 'proved',
        message: `the program brings PTX ${need.value}${cudaOf(need.value)}, and the driver reads PTX up to ${have.value}${cudaOf(have.value)}`,
        seen: seenOf(...linked.filter((fact) => !fact.told), ...errors.filter((fact) => !fact.told)),
        remedies,
        weight: 4,
      };
    }
    if (errors.length === 0) {
      const file = saidOf(context, 'ptxas-unsupported-version')[0];
      if (file === undefined) return { kind: 'silent' };
      return {
        kind: 'fault',
        certainty: 'possible',
        message: 'a ptxas refuses PTX that a newer compiler made: of the driver or of an older toolkit',
        seen: file.seen,
        remedies,
        missing: [{ fact: 'toolkit.nvcc', ask: 'which -a ptxas; ptxas --version; nvidia-smi | grep "CUDA Version"' }],
        weight: 1,
      };
    }
    const served = servedCuda(context);
    const compilers = [
      ...wantedCuda(context),
      ...[...own(context, 'toolkit.nvcc'), ...own(context, 'toolkit.installed')].flatMap((fact) => {
        const cuda = parseCuda(fact.value);
        return cuda === null ? [] : [{ cuda, what: 'the toolkit', fact }];
      }),
    ];
    const tables = tablesOf(context.knowledge);
    const ahead =
      served === null ? undefined : compilers.find((each) => jitReads(each.cuda, served.cuda, tables) === false);
    if (served !== null && ahead !== undefined) {
      const told = served.fact.told || ahead.fact.told || errors.every((fact) => fact.told);
      return {
        kind: 'fault',
        certainty: told ? 'likely' : 'proved',
        message: `${ahead.what} of CUDA ${formatCudaMinor(ahead.cuda)} made the PTX, and the driver serves CUDA ${formatCudaMinor(served.cuda)}`,
        seen: seenOf(...errors.filter((fact) => told || !fact.told), ahead.fact, served.fact),
        remedies,
        weight: 4,
      };
    }
    const other = captured(errors, 'made');
    const fits =
      served === null ? undefined : compilers.find((each) => jitReads(each.cuda, served.cuda, tables) === true);
    if (served !== null && fits !== undefined) {
      return {
        kind: 'cleared',
        because: `the driver serves CUDA ${formatCudaMinor(served.cuda)} and reads PTX of CUDA ${formatCudaMinor(fits.cuda)}`,
        seen: seenOf(served.fact, fits.fact),
      };
    }
    return {
      kind: 'fault',
      certainty: 'likely',
      message: `the compiler in the driver refuses the PTX of the program as too new${served === null ? '' : `; it serves CUDA ${formatCudaMinor(served.cuda)}`}`,
      seen: seenOf(...errors, served?.fact, other?.fact),
      remedies,
      missing: [
        {
          fact: served === null ? 'driver.cuda' : 'toolkit.nvcc',
          ask: 'nvidia-smi | grep "CUDA Version"; nvcc --version; python -c "import torch; print(torch.version.cuda)"',
        },
      ],
      weight: 2,
    };
  },
});
