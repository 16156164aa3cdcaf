import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { formatCudaMinor } from '../../versions/cuda.ts';
import { installedDriver, newer, own, saidOf, seenOf, servedCuda, wantedCuda } from './_machine.ts';

export const driverTooOldForJitKernels: Rule = defineRule({
  id: 'driver/driver-too-old-for-jit-kernels',
  summary: 'The driver cannot load the code that a JIT compiler made',
  needs: ['said.cuda-invalid-kernel-image'],
  uses: [
    'said.jit-kernel-launch',
    'driver.version',
    'driver.module',
    'driver.cuda',
    'torch.cuda',
    'torch.version',
    'toolkit.runtime',
    'package',
    'said.newer-driver-helped',
    'image.cuda',
    'image.reference',
  ],
  citations: ['cuda-minor-version-compat', 'cuda-runtime-types'],
  explains: [
    'said.cuda-invalid-kernel-image',
    'said.triton-*',
    'said.pt-*',
    'said.vllm-*',
    'framework/*',
    'application/*',
  ],
  check(_, context) {
    const errors = saidOf(context, 'cuda-invalid-kernel-image');
    if (errors.length === 0) return { kind: 'silent' };
    const jit = saidOf(context, 'jit-kernel-launch');
    const triton = own(context, 'package').find(
      (fact) => fact.value.name === 'triton' || fact.value.name === 'pytorch-triton',
    );
    const served = servedCuda(context);
    const wanted = wantedCuda(context)[0];
    const remedies = [
      {
        actor: 'node-admin' as const,
        do: 'upgrade the driver to a branch that serves the CUDA version of the JIT compiler',
      },
      {
        actor: 'developer' as const,
        do: 'or let the JIT compiler use a ptxas that is no newer than the driver',
        command: 'TRITON_PTXAS_PATH=/usr/local/cuda/bin/ptxas python app.py',
      },
      {
        actor: 'developer' as const,
        do: 'empty the kernel cache, so that no code of another compiler is left in it',
        command: 'rm -rf ~/.triton/cache ~/.cache/torch_extensions',
      },
    ];
    const inJit = jit.length > 0;
    if (served !== null && wanted !== undefined && inJit) {
      if (newer(wanted.cuda, served.cuda) === true) {
        const told = served.fact.told || wanted.fact.told || errors.every((fact) => fact.told);
        return {
          kind: 'fault',
          certainty: told ? 'likely' : 'proved',
          message: `the JIT compiler makes code for CUDA ${formatCudaMinor(wanted.cuda)}, and the driver serves CUDA ${formatCudaMinor(served.cuda)}`,
          seen: seenOf(...errors, ...jit.filter((fact) => !fact.told).slice(0, 1), wanted.fact, served.fact),
          remedies,
          weight: 4,
        };
      }
      return {
        kind: 'cleared',
        because: `the driver serves CUDA ${formatCudaMinor(served.cuda)}, not older than the compiler's ${formatCudaMinor(wanted.cuda)}`,
        seen: seenOf(served.fact, wanted.fact),
      };
    }
    if (!inJit) return { kind: 'silent' };
    const helped = context.all('said.newer-driver-helped');
    const elsewhere = [...context.all('driver.version'), ...context.all('driver.cuda')].find(
      (fact) => fact.scope === 'other-host',
    );
    const old = installedDriver(context);
    return {
      kind: 'fault',
      certainty: helped.length > 0 || elsewhere !== undefined ? 'likely' : 'possible',
      message: 'the driver cannot load what the JIT compiler made: it may be older than the compiler',
      seen: seenOf(...errors, ...jit.slice(0, 1), old?.fact, ...helped.slice(0, 1), elsewhere, triton),
      remedies,
      missing: [
        {
          fact: 'driver.version',
          ask: 'nvidia-smi --query-gpu=driver_version --format=csv,noheader; python -c "import torch, triton; print(torch.version.cuda, triton.__version__)"',
        },
      ],
      weight: 3,
    };
  },
});
