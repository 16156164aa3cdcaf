import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { otherMajorInImage } from '../image/_frameworks.ts';
import { missingLibrary } from '../toolkit/_missing-library.ts';

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
    const answer = missingLibrary(context);
    if (answer === null) return { kind: 'silent' };
    if (answer.side === 'path')
      return { kind: 'cleared', because: `the release is the right one: ${answer.message}`, seen: answer.seen };
    return {
      kind: 'fault',
      certainty: answer.certainty,
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
