import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { quote } from '../framework/_stack.ts';
import { jitLink } from './_nvjitlink.ts';

export const nvjitlinkOlderPackage: Rule = defineRule({
  id: 'toolkit/nvjitlink-older-package',
  summary: 'The installed nvJitLink package is older than cuSPARSE or cuSOLVER need',
  needs: [],
  anyOf: ['said.lib-symbol-missing', 'said.ld-undefined-nvjitlink', 'said.jax-cuda-backend-failed'],
  uses: ['loader.resolved', 'loader.cache', 'file.exists', 'env', 'package', 'said.incompatible-pin', 'torch.cuda'],
  citations: ['nvjitlink-api', 'pytorch-builder'],
  explains: [
    'application/application-exception',
    'said.lib-symbol-missing',
    'said.ld-undefined-*',
    'said.jax-*',
    'said.tf-*',
  ],
  check(_, context) {
    const found = jitLink(context);
    if (found === null) return { kind: 'silent' };
    const { lead, shadow, bundled, wheel } = found;
    if (shadow?.resolved === true)
      return {
        kind: 'cleared',
        because: `the loader took another copy, ${shadow.what}`,
        seen: quote(4, lead, shadow.fact),
      };
    if (wheel?.older === false)
      return {
        kind: 'cleared',
        because: `the installed nvJitLink package is new enough (${wheel.version})`,
        seen: quote(4, lead, wheel.fact),
      };
    const remedies = [
      {
        actor: 'developer',
        do: `install nvJitLink of the release that the other CUDA packages are of`,
        command: `pip install -U "nvidia-nvjitlink-cu${found.wants?.major ?? 12}>=${found.wants === null ? 'MAJOR.MINOR' : found.wantsText}"`,
      },
      { actor: 'developer', do: 'let the framework pin its CUDA packages: install it into a fresh environment' },
    ] as const;
    if (wheel?.older === true) {
      return {
        kind: 'fault',
        certainty: shadow === null ? 'proved' : 'likely',
        message: `nvJitLink ${wheel.version} is installed, and ${found.wantsText} is needed`,
        seen: quote(5, lead, wheel.fact, bundled?.fact),
        remedies,
        weight: 2,
      };
    }
    if (bundled !== null) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: `the package's own libnvJitLink is older than ${found.wantsText}`,
        seen: quote(5, lead, bundled.fact),
        remedies,
        missing: [{ fact: 'package', ask: 'pip list | grep -i nvjitlink' }],
        weight: 2,
      };
    }
    if (shadow !== null) return { kind: 'silent' };
    return {
      kind: 'unknown',
      missing: [{ fact: 'package', ask: 'pip list | grep -i nvjitlink; echo $LD_LIBRARY_PATH' }],
    };
  },
});
