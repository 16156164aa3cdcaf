import type { Outcome, Rule, RuleContext } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { messagesOf, proofOf } from '../application/_standing.ts';
import { own, quote } from '../framework/_stack.ts';
import { missingLibrary } from './_missing-library.ts';

export const toolkitLibNotOnLoaderPath: Rule = defineRule({
  id: 'toolkit/toolkit-lib-not-on-loader-path',
  summary: 'A CUDA library is installed, but the loader does not look in its folder',
  needs: [],
  anyOf: [
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
    'driver.answers',
    'gpu.name',
    'package',
    'cudnn.loaded',
    'image.cuda',
  ],
  citations: ['ld-so-manual'],
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
    'said.pt-cuda-home-missing',
  ],
  check(_, context) {
    const answer = missingLibrary(context);
    if (answer === null) {
      const unnamed = unnamedLibraries(context);
      if (unnamed !== null) return unnamed;
      return context.said.some((fact) => fact.id === 'said.tf-cannot-dlopen' || fact.id === 'said.cupy-import-failed')
        ? {
            kind: 'unknown',
            missing: [
              {
                fact: 'the library that could not be opened',
                ask: 'TF_CPP_MAX_VLOG_LEVEL=1 python -c "import tensorflow as tf; tf.config.list_physical_devices(\'GPU\')" 2>&1 | grep -i dlerror',
              },
            ],
          }
        : { kind: 'silent' };
    }
    if (answer.side === 'other-major')
      return {
        kind: 'cleared',
        because: `no library of the right release is there: ${answer.message}`,
        seen: answer.seen,
      };
    return {
      kind: 'fault',
      certainty: answer.certainty,
      message: answer.message,
      seen: answer.seen,
      remedies: [
        {
          actor: 'image-owner',
          do: 'put the folder of the library into the loader cache',
          command: 'echo /usr/local/cuda/lib64 > /etc/ld.so.conf.d/cuda.conf && ldconfig',
        },
        {
          actor: 'developer',
          do: 'or name it for this program alone',
          command: 'export LD_LIBRARY_PATH=/usr/local/cuda/lib64:$LD_LIBRARY_PATH',
        },
      ],
      missing: answer.missing,
      weight: answer.side === 'open' ? 1 : 2,
    };
  },
});

/** TensorFlow cannot open some of its libraries and does not name them, on a machine whose GPU answers. */
function unnamedLibraries(context: RuleContext): Outcome | null {
  const { standing } = messagesOf(context, ['tf-cannot-dlopen']);
  const gpu = own(context, 'driver.answers')[0] ?? own(context, 'gpu.name').find((fact) => !fact.told);
  if (standing.length === 0 || gpu === undefined) return null;
  return {
    kind: 'fault',
    certainty: 'likely',
    message: 'the GPU answers, and TensorFlow cannot open some of its CUDA libraries',
    seen: [...proofOf(standing).slice(0, 3), ...quote(1, gpu)],
    remedies: [
      {
        actor: 'developer',
        do: 'install the libraries with TensorFlow, in the same environment',
        command: 'pip install "tensorflow[and-cuda]"',
      },
      {
        actor: 'developer',
        do: 'or put the folder of the toolkit and of cuDNN that this release lists on the search path',
      },
    ],
    missing: [
      {
        fact: 'the library that could not be opened',
        ask: 'TF_CPP_MAX_VLOG_LEVEL=3 python -c "import tensorflow as tf; tf.config.list_physical_devices(\'GPU\')" 2>&1 | grep -i "could not load"',
      },
    ],
  };
}
