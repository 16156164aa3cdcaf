import type { Fact, SaidId } from '../../model/facts.ts';
import type { Rule, RuleContext } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { captured, messagesOf, proofOf } from '../application/_standing.ts';
import { quote } from '../framework/_stack.ts';

const messages = [
  'pt-cuda-home-missing',
  'cmake-cuda-not-found',
  'cuda-header-missing',
  'build-nvcc-missing',
  'ld-cannot-find-lcuda',
] as const;

export const buildToolkitMissing: Rule = defineRule({
  id: 'toolkit/build-toolkit-missing',
  summary: 'Something is built against CUDA where there is no toolkit, or not where the build looks',
  needs: [],
  anyOf: messages.map((each): SaidId => `said.${each}`),
  uses: ['program.exception', 'toolkit.nvcc', 'torch.cuda', 'said.package-build', 'build.configured'],
  citations: ['cuda-installation-guide', 'pytorch-cpp-extension', 'cmake-find-cuda-toolkit'],
  explains: [
    'application/application-exception',
    'application/application-configuration',
    'said.cmake-cuda-not-found',
    'said.pt-cuda-home-missing',
    'said.build-nvcc-missing',
    'said.cuda-header-missing',
    'said.ld-cannot-find-lcuda',
    'said.package-build',
    'said.app-import-missing',
  ],
  check(_, context) {
    const { standing: all, overcome } = messagesOf(context, messages);
    // "No CUDA runtime is found, using CUDA_HOME=…" tells of a GPU that is not seen, and names a toolkit.
    // The helpers of the CUDA samples come with the samples, not with a toolkit.
    const standing = all.filter(
      (fact) => fact.value.captures['home'] === undefined && !/^helper_/.test(fact.value.captures['header'] ?? ''),
    );
    if (standing.length === 0)
      return overcome.length > 0
        ? { kind: 'cleared', because: 'the program went on without building', seen: proofOf(overcome) }
        : { kind: 'silent' };
    // Triton links a helper at run time: the compiler's surroundings are at fault, see framework/jit-compiler-missing.
    if (linkedAtRunTime(context) && standing.every((fact) => fact.value.signature === 'ld-cannot-find-lcuda'))
      return { kind: 'cleared', because: 'nothing is built here: a helper is linked at run time', seen: [] };
    // A search that a project can do without: CMake went on and wrote its files.
    if (
      standing.every((fact) => fact.value.signature === 'cmake-cuda-not-found' && optional(fact)) &&
      context.all('build.configured').some((fact) => fact.scope !== 'other-host')
    )
      return { kind: 'cleared', because: 'CMake looked for CUDA and went on without it', seen: proofOf(standing) };
    const failed = ended(context, standing);
    const nvcc = context.all('toolkit.nvcc').find((fact) => fact.scope !== 'other-host');
    const header = captured(standing, 'header', 'header2');
    const lib = captured(standing, 'lib');
    // A torch without CUDA, or none that was asked for: the build may do without.
    const cpuTorch = context.all('torch.cuda').some((fact) => fact.value === null && fact.scope !== 'other-host');
    const certainty = !failed || cpuTorch ? 'possible' : nvcc === undefined ? undefined : ('likely' as const);
    const strong = standing.some((fact) => fact.value.signature !== 'cmake-cuda-not-found');
    return {
      kind: 'fault',
      certainty: certainty ?? (strong ? 'proved' : 'likely'),
      message:
        header !== undefined
          ? `the build finds no ${header}: the headers of ${belongsTo(header)} are not where it looks`
          : lib !== undefined
            ? `the linker finds no lib${lib}.so: the toolkit's folder of libraries, or its stubs, are not where it looks`
            : `the build finds no CUDA toolkit${nvcc === undefined ? '' : `, although there is an nvcc ${nvcc.value}`}`,
      seen: quote(5, ...standing, nvcc),
      remedies: [
        {
          actor: 'developer',
          do: 'take a prebuilt package for this torch, Python and CUDA, so that nothing has to be built',
        },
        {
          actor: 'image-owner',
          do: 'or build in an image with the toolkit (a `-devel` tag), or install the toolkit of the framework’s CUDA release',
        },
        {
          actor: 'developer',
          do: 'and tell the build where it is',
          command:
            'export CUDA_HOME=/usr/local/cuda PATH=/usr/local/cuda/bin:$PATH   # CMake: -DCMAKE_CUDA_COMPILER=…/nvcc',
        },
      ],
      ...(certainty === 'possible'
        ? { missing: [{ fact: 'toolkit.nvcc', ask: 'which -a nvcc; ls -d /usr/local/cuda*; echo $CUDA_HOME' }] }
        : {}),
      weight: header !== undefined || lib !== undefined ? 1 : 0,
    };
  },
});

function optional(fact: Fact<SaidId>): boolean {
  return fact.seen.every((each) => !/CMake Error|No CMAKE_CUDA_COMPILER|Failed to detect|must be/.test(each.text));
}

/** What brings a header. */
function belongsTo(header: string): string {
  if (/^cudnn/i.test(header)) return 'cuDNN';
  if (/^nccl/i.test(header)) return 'NCCL';
  return /^NvInfer/i.test(header) ? 'TensorRT' : 'the CUDA toolkit';
}

/** A kernel's helper is compiled by Triton or torch.compile while the program runs. */
export function linkedAtRunTime(context: RuleContext): boolean {
  return context
    .all('program.exception')
    .some((fact) =>
      /triton|inductor|cuda_utils\.c|\/main\.c\b/i.test(
        `${fact.value.type} ${fact.value.message} ${fact.value.module ?? ''}`,
      ),
    );
}

/** A program or a build ended over it: an exception, CMake that stops, a package that is not built. */
function ended(context: RuleContext, standing: readonly Fact<SaidId>[]): boolean {
  if (context.all('program.exception').some((fact) => fact.scope !== 'other-host')) return true;
  if (context.said.some((fact) => fact.id === 'said.package-build' && fact.scope !== 'other-host')) return true;
  return standing.some(
    (fact) =>
      /^(?:cuda-header-missing|ld-cannot-find-lcuda)$/.test(fact.value.signature) ||
      fact.seen.some((each) =>
        /Error: |Exception: |^make|: not found$|: command not found$|CMake Error/.test(each.text),
      ),
  );
}
