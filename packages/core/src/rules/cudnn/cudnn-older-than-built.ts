import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { quote, saidOf } from '../framework/_stack.ts';
import { cudnnPackage, cudnnPair, cudnnText, sameCudnn, systemCudnn } from './_pair.ts';

export const cudnnOlderThanBuilt: Rule = defineRule({
  id: 'cudnn/cudnn-older-than-built',
  summary: 'The cuDNN that is installed is older than the framework needs',
  needs: [],
  anyOf: [
    'said.cudnn-pair',
    'said.cudnn-version-incompatible-pt',
    'said.cudnn-version-tf',
    'said.jax-cuda-lib-outdated',
    'said.jax-version-check',
    'said.cudnn-sublibraries-differ',
    'said.cudnn-status',
    'said.incompatible-pin',
  ],
  uses: [
    'env',
    'loader.resolved',
    'loader.cache',
    'file.exists',
    'cudnn.file',
    'package',
    'cudnn.loaded',
    'cudnn.built-for',
  ],
  citations: ['cudnn-api', 'jax-installation', 'tensorflow-tested-builds'],
  explains: [
    'application/application-exception',
    'said.cudnn-*',
    'said.jax-*',
    'said.tf-*',
    'said.pt-*',
    'framework/cpu-only-framework-build',
  ],
  check(_, context) {
    const pair = cudnnPair(context);
    if (pair === null) {
      return saidOf(context, 'cudnn-status').some((fact) =>
        /VERSION_MISMATCH|NOT_INITIALIZED/.test(fact.value.captures['status'] ?? ''),
      )
        ? {
            kind: 'unknown',
            missing: [
              {
                fact: 'cudnn.loaded',
                ask: 'python -c "import torch; print(torch.backends.cudnn.version())"; pip list | grep -i cudnn',
              },
            ],
          }
        : { kind: 'silent' };
    }
    if (pair.order === 'newer' || pair.order === 'equal')
      return {
        kind: 'cleared',
        because: `cuDNN ${cudnnText(pair.have)} is not older than the ${cudnnText(pair.built)} of the build`,
        seen: quote(3, pair.fact, ...pair.rest),
      };
    const system = systemCudnn(context);
    const wheel = cudnnPackage(context);
    const isWheel = wheel !== null && pair.have !== null && sameCudnn(wheel.version, pair.have);
    // torch brings its own: where another copy is known to come first, that is the cause.
    if (saidOf(context, 'cudnn-bundled-note').length > 0 && !isWheel) {
      return {
        kind: 'cleared',
        because: 'the framework brings a new enough cuDNN; another copy was loaded',
        seen: quote(3, pair.fact, system?.fact),
      };
    }
    if (system !== null && wheel !== null && !isWheel && pair.stated)
      return {
        kind: 'cleared',
        because: 'the installed package is new enough; another copy was loaded',
        seen: quote(3, pair.fact, system.fact),
      };
    return {
      kind: 'fault',
      certainty: pair.stated ? 'proved' : 'likely',
      message: `cuDNN ${pair.have === null ? 'is' : `${cudnnText(pair.have)} is installed,`} older than the ${cudnnText(pair.built)} that the framework needs`,
      seen: quote(5, pair.fact, ...pair.rest, isWheel ? wheel?.fact : undefined),
      remedies: [
        {
          actor: 'developer',
          do: `install cuDNN ${cudnnText(pair.built)} or newer of the same major`,
          command: 'pip install -U nvidia-cudnn-cu12',
        },
        { actor: 'developer', do: 'or a release of the framework that was built with the older cuDNN' },
      ],
      ...(pair.stated
        ? {}
        : {
            missing: [
              {
                fact: 'cudnn.loaded',
                ask: 'pip list | grep -i cudnn; python -c "import torch; print(torch.backends.cudnn.version())"',
              },
            ],
          }),
      weight: 2,
    };
  },
});
