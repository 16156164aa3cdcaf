import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { quote, saidOf } from '../framework/_stack.ts';
import { cudnnPair, cudnnText, systemCudnn } from './_pair.ts';

export const cudnnNewerThanBuilt: Rule = defineRule({
  id: 'cudnn/cudnn-newer-than-built',
  summary: 'The cuDNN that is installed is newer than the build accepts',
  needs: [],
  anyOf: [
    'said.cudnn-pair',
    'said.cudnn-version-incompatible-pt',
    'said.cudnn-version-tf',
    'said.cudnn-sublibraries-differ',
    'said.cudnn-status',
  ],
  uses: [
    'cudnn.loaded',
    'cudnn.built-for',
    'package',
    'env',
    'loader.resolved',
    'cudnn.file',
    'file.exists',
    'loader.cache',
  ],
  citations: ['cudnn-api', 'pytorch-cudnn-check'],
  explains: ['application/application-exception', 'said.cudnn-*', 'said.tf-*', 'said.pt-*'],
  check(_, context) {
    const pair = cudnnPair(context);
    if (pair === null) {
      return saidOf(context, 'cudnn-status').some((fact) =>
        /VERSION_MISMATCH|NOT_SUPPORTED/.test(fact.value.captures['status'] ?? ''),
      )
        ? {
            kind: 'unknown',
            missing: [{ fact: 'cudnn.loaded', ask: 'python -c "import torch; print(torch.backends.cudnn.version())"' }],
          }
        : { kind: 'silent' };
    }
    if (pair.order !== 'newer')
      return {
        kind: 'cleared',
        because: `cuDNN ${cudnnText(pair.have)} is not newer than the ${cudnnText(pair.built)} of the build`,
        seen: quote(3, pair.fact, ...pair.rest),
      };
    const { built, have } = pair;
    // Within a major a newer cuDNN serves every build since 7; only a build that insists says so itself.
    if (!pair.stated && built?.major === have?.major)
      return {
        kind: 'cleared',
        because: `cuDNN ${cudnnText(have)} serves builds of ${cudnnText(built)}: the major is the same`,
        seen: quote(3, ...pair.rest),
      };
    const system = systemCudnn(context);
    if (saidOf(context, 'cudnn-bundled-note').length > 0 && system !== null)
      return {
        kind: 'cleared',
        because: 'the framework brings its own cuDNN; another copy was loaded',
        seen: quote(3, pair.fact, system.fact),
      };
    return {
      kind: 'fault',
      certainty: pair.stated ? 'proved' : 'likely',
      message: `cuDNN ${cudnnText(have)} was loaded, and the program insists on the ${cudnnText(built)} that it was built with`,
      seen: quote(5, pair.fact, ...pair.rest),
      remedies: [
        {
          actor: 'developer',
          do: `install cuDNN ${cudnnText(built)}`,
          command: `conda install "cudnn=${cudnnText(built)}"`,
        },
        { actor: 'developer', do: 'or a release of the framework that was built with the newer cuDNN' },
      ],
      ...(pair.stated
        ? {}
        : {
            missing: [{ fact: 'cudnn.loaded', ask: 'python -c "import torch; print(torch.backends.cudnn.version())"' }],
          }),
      weight: 2,
    };
  },
});
