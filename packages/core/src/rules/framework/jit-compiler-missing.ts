import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { messagesOf, proofOf } from '../application/_standing.ts';
import { linkedAtRunTime } from '../toolkit/build-toolkit-missing.ts';

export const jitCompilerMissing: Rule = defineRule({
  id: 'framework/jit-compiler-missing',
  summary: 'Code that is compiled at run time finds no compiler, headers or build tool',
  needs: [],
  anyOf: [
    'said.build-tool-missing',
    'said.triton-no-c-compiler',
    'said.ld-cannot-find-lcuda',
    'said.xla-compiler-missing',
  ],
  uses: ['program.exception'],
  citations: ['torch-compile-troubleshooting', 'pytorch-cpp-extension'],
  explains: [
    'application/application-exception',
    'application/application-configuration',
    'said.build-tool-missing',
    'said.triton-*',
    'said.pt-*',
    'said.nvcc-*',
    'said.ld-cannot-find-lcuda',
    'said.vllm-*',
    'said.xla-*',
    'said.tf-*',
  ],
  check(_, context) {
    const { standing, overcome } = messagesOf(context, ['build-tool-missing', 'triton-no-c-compiler']);
    const xla = messagesOf(context, ['xla-compiler-missing']).standing;
    if (xla.length > 0)
      return {
        kind: 'fault',
        message: 'XLA compiles at run time, and finds no libdevice or no compiler for PTX',
        seen: proofOf(xla),
        remedies: [
          {
            actor: 'developer',
            do: 'install the compiler package beside the framework',
            command: 'pip install nvidia-cuda-nvcc-cu12   # conda: cuda-nvcc',
          },
          {
            actor: 'developer',
            do: 'or name the folder of a toolkit that holds nvvm/libdevice',
            command: 'export XLA_FLAGS=--xla_gpu_cuda_data_dir=/usr/local/cuda',
          },
        ],
        weight: 1,
      };
    const link = messagesOf(context, ['ld-cannot-find-lcuda']).standing;
    if (standing.length === 0 && link.length > 0) {
      if (!linkedAtRunTime(context)) return { kind: 'silent' };
      return {
        kind: 'fault',
        message: 'kernels are compiled at run time, and the linker finds no libcuda.so to link their helper with',
        seen: proofOf(link),
        remedies: [
          {
            actor: 'image-owner',
            do: 'put the folder of the driver into the loader cache, or give libcuda.so.1 its link without a number',
            command: 'ldconfig -p | grep libcuda.so; ln -s libcuda.so.1 /usr/lib/x86_64-linux-gnu/libcuda.so',
          },
          {
            actor: 'developer',
            do: 'or name that folder to Triton',
            command: 'export TRITON_LIBCUDA_PATH=/usr/lib/x86_64-linux-gnu',
          },
        ],
        weight: 1,
      };
    }
    if (standing.length === 0)
      return { kind: 'cleared', because: 'the program went on without compiling', seen: proofOf(overcome) };
    const text = standing.map((fact) => fact.seen[0]?.text ?? '').join('\n');
    const header = /Python\.h/.test(text);
    const shell =
      /not found\s*$|No such file or directory: '/m.test(text) &&
      standing.every((fact) => fact.value.signature === 'build-tool-missing');
    const used = context
      .all('program.exception')
      .some((fact) =>
        /triton|inductor|cpp_extension|deepspeed|flashinfer|compiler|ninja|gcc|g\+\+|'cc'/i.test(
          `${fact.value.type} ${fact.value.message} ${fact.value.module ?? ''}`,
        ),
      );
    return {
      kind: 'fault',
      certainty: shell && !used ? 'possible' : 'proved',
      message: header
        ? 'kernels are compiled at run time, and the headers of Python are not installed'
        : 'kernels are compiled at run time, and there is no compiler or build tool',
      seen: proofOf(standing),
      remedies: [
        {
          actor: 'image-owner',
          do: 'install a compiler, the headers of this Python and ninja',
          command: 'apt-get install -y build-essential python3-dev ninja-build',
        },
        {
          actor: 'developer',
          do: 'or run without compilation',
          command: 'TORCHDYNAMO_DISABLE=1; vLLM: --enforce-eager',
        },
      ],
      ...(shell && !used
        ? { missing: [{ fact: 'what wanted the compiler', ask: 'which gcc g++ ninja; the lines above the message' }] }
        : {}),
      weight: 1,
    };
  },
});
