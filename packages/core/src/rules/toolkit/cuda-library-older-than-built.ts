import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { captured, messagesOf, proofOf } from '../application/_standing.ts';
import { libraryPathFact, quote } from '../framework/_stack.ts';

/** Without its GPU the program goes on too, and another framework may have the GPU: only JAX's own word counts. */
const ofJax = /\bJAX\b/;

export const cudaLibraryOlderThanBuilt: Rule = defineRule({
  id: 'toolkit/cuda-library-older-than-built',
  summary: 'A CUDA library that is loaded is older than the framework was built with',
  needs: [],
  anyOf: ['said.cuda-library-older', 'said.jax-version-check'],
  uses: ['env', 'package'],
  citations: ['jax-installation', 'ld-so-manual'],
  explains: [
    'application/application-exception',
    'said.jax-*',
    'said.cuda-library-older',
    'framework/cpu-only-framework-build',
    'toolkit/nvjitlink-older-shadow',
  ],
  check(_, context) {
    const { standing, overcome } = messagesOf(context, ['cuda-library-older'], ofJax);
    // The first line alone, whose numbers are not in the text; cuDNN has a rule of its own.
    const short = messagesOf(context, ['jax-version-check'], ofJax).standing.filter(
      (fact) => fact.value.captures['lib'] !== undefined && fact.value.captures['lib'] !== 'cuDNN',
    );
    if (standing.length === 0 && overcome.length === 0 && short.length === 0) return { kind: 'silent' };
    if (standing.length === 0 && short.length === 0)
      return { kind: 'cleared', because: 'the program found its GPU later', seen: proofOf(overcome) };
    const [lib, have, built, min] = ['lib', 'have', 'built', 'min'].map((name) => captured(standing, name));
    const floor = min !== undefined && Number(min) > 0 ? min : built;
    if (have === undefined || floor === undefined)
      return {
        kind: 'unknown',
        missing: [
          { fact: 'the numbers of the message', ask: 'JAX_PLATFORMS=cuda python -c "import jax; jax.devices()"' },
        ],
      };
    if (Number(have) >= Number(floor))
      return { kind: 'cleared', because: `${lib ?? 'the library'} ${have} is new enough`, seen: proofOf(standing) };
    const path = libraryPathFact(context);
    return {
      kind: 'fault',
      message: `${lib ?? 'a CUDA library'} ${have} is loaded, and the framework was built with ${built ?? floor}`,
      seen: quote(4, ...standing, path),
      remedies: [
        ...(path === undefined
          ? []
          : [
              {
                actor: 'developer' as const,
                do: 'take the folder of the other toolkit out of the search path',
                command: 'unset LD_LIBRARY_PATH',
              },
            ]),
        {
          actor: 'developer',
          do: 'install the CUDA libraries that belong to this release of the framework',
          command: 'pip install --upgrade "jax[cuda12]"',
        },
        { actor: 'developer', do: 'or pin a release of the framework that was built with the older toolkit' },
      ],
      weight: 2,
    };
  },
});
