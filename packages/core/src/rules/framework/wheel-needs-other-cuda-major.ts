import type { Outcome, Rule, RuleContext } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { otherMajorInImage } from '../image/_frameworks.ts';
import { missingLibrary } from '../toolkit/_missing-library.ts';
import { captured, messagesOf, proofOf } from '../application/_standing.ts';
import { quote } from './_stack.ts';

export const wheelNeedsOtherCudaMajor: Rule = defineRule({
  id: 'framework/wheel-needs-other-cuda-major',
  summary: 'A package was built for another CUDA or cuDNN major than the one that is installed',
  needs: [],
  anyOf: [
    'image.package',
    'said.ld-missing-cuda-runtime-lib',
    'said.cuda-lib-not-found',
    'said.cudnn8-could-not-load',
    'said.cudnn9-unable-to-load',
    'said.ort-provider-load',
    'said.tf-cannot-dlopen',
    'said.bnb-missing-binary',
    'said.cupy-import-failed',
    'loader.resolved',
  ],
  uses: [
    'file.exists',
    'loader.cache',
    'env',
    'toolkit.nvcc',
    'toolkit.installed',
    'toolkit.runtime',
    'driver.cuda',
    'torch.cuda',
    'package',
    'cudnn.loaded',
    'image.cuda',
  ],
  citations: ['ld-so-manual', 'onnxruntime-cuda', 'cupy-install'],
  explains: [
    'application/application-exception',
    'said.ld-missing-*',
    'said.cuda-lib-not-found',
    'said.cudnn8-*',
    'said.cudnn9-*',
    'said.ort-*',
    'said.tf-*',
    'said.bnb-*',
    'said.cupy-*',
    'said.jax-*',
    'framework/cpu-only-framework-build',
  ],
  check(_, context) {
    const inventory = otherMajorInImage(context);
    if (inventory !== null) return inventory;
    const bnb = noBinary(context);
    if (bnb !== null) return bnb;
    const answer = missingLibrary(context);
    if (answer === null) return { kind: 'silent' };
    if (answer.side === 'path')
      return { kind: 'cleared', because: `the release is the right one: ${answer.message}`, seen: answer.seen };
    return {
      kind: 'fault',
      certainty: answer.side === 'open' ? 'possible' : answer.certainty,
      message: answer.message,
      seen: answer.seen,
      remedies: [
        { actor: 'developer', do: 'install the build of the package for the CUDA major that is there' },
        { actor: 'developer', do: `or install the libraries that it was built for, which bring ${answer.library}` },
      ],
      missing: answer.missing,
      weight: answer.side === 'open' ? 0 : 2,
    };
  },
});

/** bitsandbytes brings one binary for each CUDA release it was built for, and has none for that of torch. */
function noBinary(context: RuleContext): Outcome | null {
  const { standing } = messagesOf(context, ['bnb-missing-binary']);
  const wanted = captured(standing, 'bnb');
  if (wanted === undefined) return null;
  const release = `${wanted.slice(0, -1)}.${wanted.slice(-1)}`;
  const torch = context.all('torch.cuda').find((fact) => fact.scope !== 'other-host' && fact.value !== null);
  return {
    kind: 'fault',
    certainty: standing.every((fact) => fact.told) ? 'likely' : 'proved',
    message: `bitsandbytes here has no binary for CUDA ${release}, which the torch beside it uses`,
    seen: torch === undefined ? proofOf(standing) : quote(4, ...standing, torch),
    remedies: [
      {
        actor: 'developer',
        do: 'install a release of bitsandbytes that has this CUDA',
        command: 'pip install --upgrade bitsandbytes && python -m bitsandbytes',
      },
      {
        actor: 'developer',
        do: 'or let it take the binary of another release of the same CUDA major, if it has one',
        command:
          'ls $(python -c "import bitsandbytes, os; print(os.path.dirname(bitsandbytes.__file__))"); export BNB_CUDA_VERSION=126',
      },
    ],
    weight: 2,
  };
}
