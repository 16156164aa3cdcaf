import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { seen } from '../container-runtime/_container.ts';
import { unreadPart, variableIn } from './_scan.ts';

export const compatEntrypointReplaced: Rule = defineRule({
  id: 'image/compat-entrypoint-replaced',
  summary: 'The image no longer starts the script that switches its forward compatibility on',
  needs: [],
  anyOf: ['image.entrypoint', 'image.scanned'],
  citations: ['cuda-forward-compat', 'container-toolkit-291'],
  check(_facts, context) {
    const entrypoint = context.first('image.entrypoint');
    if (entrypoint === undefined) return unreadPart(context, 'image.entrypoint') ?? { kind: 'silent' };
    const { compat, ngcScript, words } = entrypoint.value;
    if (compat === 'nvidia-entrypoint' || compat === 'script')
      return {
        kind: 'cleared',
        because: 'what the image starts looks at the driver and switches its compat libcuda on',
        seen: seen(entrypoint),
      };
    const libcuda = context.all('image.libcuda').find((fact) => fact.value.kind === 'compat');
    if (!ngcScript || libcuda === undefined) return unreadPart(context, 'image.libcuda') ?? { kind: 'silent' };
    // Shells started in it read the same code through these two.
    const shell = variableIn(context, 'BASH_ENV') ?? variableIn(context, 'ENV');
    return {
      kind: 'fault',
      certainty: shell === undefined || !shell.value.value.includes('shinit') ? 'likely' : 'possible',
      message:
        words === ''
          ? 'the image starts nothing that switches its compat libcuda on, although it has the script for it'
          : `the image starts "${words}" and not nvidia_entrypoint.sh, so nothing switches its compat libcuda on`,
      seen: seen(entrypoint, libcuda, shell),
      remedies: [
        {
          actor: 'image-owner',
          do: 'keep the entrypoint of the base and give the program as command',
          command: 'ENTRYPOINT ["/opt/nvidia/nvidia_entrypoint.sh"]\nCMD ["python", "serve.py"]',
        },
        { actor: 'cluster-admin', do: 'or run it on nodes whose driver serves its CUDA without compat' },
      ],
      weight: 1,
    };
  },
});
