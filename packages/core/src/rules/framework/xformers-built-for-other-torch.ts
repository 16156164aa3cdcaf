import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { captured, own, packagesNamed, quote, saidOf } from './_stack.ts';

export const xformersBuiltForOtherTorch: Rule = defineRule({
  id: 'framework/xformers-built-for-other-torch',
  summary: 'xFormers was built for another torch, so its CUDA extensions stay off',
  needs: [],
  anyOf: ['said.xf-cannot-load', 'said.xf-no-operator'],
  uses: ['torch.version', 'package'],
  citations: ['xformers'],
  explains: ['application/application-exception', 'said.xf-*'],
  check(_, context) {
    const said = saidOf(context, 'xf-cannot-load');
    const built = captured(said, 'built');
    const have = captured(said, 'have');
    const torch = own(context, 'torch.version')[0];
    const remedies = [
      {
        actor: 'developer',
        do: `install the xFormers release for torch ${have?.value ?? torch?.value ?? 'of this environment'}`,
        command: 'pip install -U xformers --index-url https://download.pytorch.org/whl/cuXYZ',
      },
      { actor: 'developer', do: `or the torch that it was built for${built === undefined ? '' : `, ${built.value}`}` },
    ] as const;
    if (built !== undefined && have !== undefined) {
      if (built.value === have.value)
        return {
          kind: 'cleared',
          because: `xFormers and torch are of one release, ${have.value}`,
          seen: quote(3, built.fact),
        };
      return {
        kind: 'fault',
        certainty: 'proved',
        message: `xFormers was built for torch ${built.value}, and torch here is ${have.value}`,
        seen: quote(5, built.fact, have.fact, said[0]),
        remedies,
        weight: 3,
      };
    }
    if (said.length > 0) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: 'xFormers cannot load its CUDA extensions',
        seen: quote(4, ...said),
        remedies,
        missing: [{ fact: 'torch.version', ask: 'python -m xformers.info' }],
        weight: 2,
      };
    }
    if (packagesNamed(context, /^xformers$/).length > 0 && torch !== undefined) {
      return { kind: 'silent' };
    }
    return { kind: 'unknown', missing: [{ fact: 'torch.version', ask: 'python -m xformers.info' }] };
  },
});
