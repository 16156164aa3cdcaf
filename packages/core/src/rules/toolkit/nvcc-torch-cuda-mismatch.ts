import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { parseCuda } from '../../versions/cuda.ts';
import { captured, own, quote, saidOf } from '../framework/_stack.ts';

const messages = ['ext-cuda-mismatch', 'pt-cpp-ext-cuda-mismatch', 'ds-cuda-mismatch'] as const;

export const nvccTorchCudaMismatch: Rule = defineRule({
  id: 'toolkit/nvcc-torch-cuda-mismatch',
  summary: 'An extension is compiled with an nvcc of another CUDA release than torch was built with',
  needs: [],
  anyOf: [
    'said.ext-cuda-mismatch',
    'said.pt-cpp-ext-cuda-mismatch',
    'said.ds-cuda-mismatch',
    'said.pt-cuda-home-missing',
  ],
  uses: ['toolkit.nvcc', 'torch.cuda', 'toolkit.installed'],
  citations: ['pytorch-cpp-extension'],
  explains: [
    'application/application-exception',
    'said.ds-*',
    'said.pt-cpp-*',
    'said.ext-cuda-mismatch',
    'said.pt-cuda-home-missing',
  ],
  check(_, context) {
    const said = saidOf(context, ...messages);
    if (said.length === 0) {
      const nvcc = own(context, 'toolkit.nvcc')[0];
      const torch = own(context, 'torch.cuda')[0];
      if (nvcc !== undefined && torch !== undefined)
        return {
          kind: 'cleared',
          because: 'no compiler was compared with torch: CUDA_HOME is what is missing',
          seen: quote(4, nvcc, torch),
        };
      return {
        kind: 'unknown',
        missing: [
          {
            fact: 'toolkit.nvcc',
            ask: 'which -a nvcc; nvcc --version; python -c "import torch; print(torch.version.cuda)"',
          },
        ],
      };
    }
    const nvccFact = own(context, 'toolkit.nvcc')[0];
    const torchFact = own(context, 'torch.cuda').find((fact) => fact.value !== null);
    const nvcc = captured(said, 'nvcc', 'det', 'sys')?.value ?? nvccFact?.value;
    const torch = captured(said, 'torch', 'pt')?.value ?? torchFact?.value ?? undefined;
    const a = nvcc === undefined ? null : parseCuda(nvcc);
    const b = torch === undefined ? null : parseCuda(torch);
    if (a !== null && b !== null && a.major === b.major && a.minor === b.minor) {
      return {
        kind: 'cleared',
        because: `nvcc and torch are both of CUDA ${torch}`,
        seen: quote(4, said[0], nvccFact, torchFact),
      };
    }
    const both = a !== null && b !== null;
    return {
      kind: 'fault',
      certainty: both ? 'proved' : 'likely',
      message: `the extension is compiled with CUDA ${nvcc ?? 'of another release'}, torch was built with ${torch ?? 'its own'}`,
      seen: quote(
        5,
        ...said,
        captured(said, 'nvcc', 'det', 'sys') === undefined ? nvccFact : undefined,
        captured(said, 'torch', 'pt') === undefined ? torchFact : undefined,
      ),
      remedies: [
        {
          actor: 'developer',
          do: `install the toolkit of torch's CUDA release, and let CUDA_HOME point to it`,
          command: `export CUDA_HOME=/usr/local/cuda-${torch ?? 'MAJOR.MINOR'}`,
        },
        { actor: 'developer', do: `or install the torch build for CUDA ${nvcc ?? 'of this nvcc'}` },
      ],
      ...(both
        ? {}
        : {
            missing: [
              { fact: 'toolkit.nvcc', ask: 'nvcc --version; python -c "import torch; print(torch.version.cuda)"' },
            ],
          }),
      weight: 2,
    };
  },
});
