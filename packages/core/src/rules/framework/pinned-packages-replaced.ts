import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { seen } from '../container-runtime/_container.ts';
import { compareDotted, unreadPart } from '../image/_scan.ts';

export const pinnedPackagesReplaced: Rule = defineRule({
  id: 'framework/pinned-packages-replaced',
  summary: 'A CUDA package that the framework pins is missing or older than it was built with',
  needs: [],
  anyOf: ['image.pin', 'image.scanned'],
  citations: ['pypa-dependency-specifiers', 'pytorch-get-started'],
  explains: ['toolkit/nvjitlink-older-package', 'cudnn/cudnn-older-than-built'],
  check(_facts, context) {
    const pins = context.all('image.pin').filter((fact) => /^nvidia-|^cuda-toolkit$/.test(fact.value.name));
    const older = pins.find((fact) => compareDotted(fact.value.has, fact.value.wants) === -1);
    const missing = pins.filter((fact) => fact.value.has === null && !fact.value.elsewhere);
    const remedies = [
      {
        actor: 'image-owner',
        do: 'install the framework again with its pins, and let pip check the result',
        command: 'pip install --force-reinstall torch && pip check',
      },
      { actor: 'image-owner', do: 'find the step that replaced the package: the layer in the record names it' },
    ] as const;
    const lead = older ?? missing[0];
    if (lead !== undefined) {
      const { by, name, wants, has, environment } = lead.value;
      return {
        kind: 'fault',
        certainty: 'likely',
        message:
          has === null
            ? `${by} needs ${name} ${wants}, and ${environment} does not have it`
            : `${by} needs ${name} ${wants}, and ${environment} has ${has}`,
        seen: seen(lead, ...(has === null ? missing.slice(1, 4) : [])),
        remedies,
        missing: [
          {
            fact: 'image.package',
            ask: 'docker run --rm --entrypoint python IMAGE -c "import torch; print(torch.__version__)"',
          },
        ],
        weight: has === null ? 1 : 2,
      };
    }
    const newer = pins.find((fact) => compareDotted(fact.value.has, fact.value.wants) === 1);
    if (newer !== undefined)
      return {
        kind: 'cleared',
        because: `${newer.value.name} is newer than its pin, ${newer.value.has ?? ''}: newer releases of one major serve older programs`,
        seen: seen(newer),
      };
    const holds = pins.find((fact) => fact.value.has !== null);
    return holds === undefined
      ? (unreadPart(context, 'image.pin') ?? { kind: 'silent' })
      : { kind: 'cleared', because: 'the pinned CUDA packages are installed as they are pinned', seen: seen(holds) };
  },
});
