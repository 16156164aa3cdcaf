import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { olderShadowInImage } from '../image/_libraries.ts';
import { olderLoaded } from './_loaded.ts';
import { quote } from '../framework/_stack.ts';
import { jitLink } from './_nvjitlink.ts';

export const nvjitlinkOlderShadow: Rule = defineRule({
  id: 'toolkit/nvjitlink-older-shadow',
  summary: 'An older libnvJitLink is found before the one that the package brings',
  needs: [],
  anyOf: [
    'image.load',
    'loader.loads',
    'said.lib-symbol-missing',
    'said.ld-undefined-nvjitlink',
    'said.jax-cuda-backend-failed',
  ],
  uses: ['loader.resolved', 'loader.cache', 'file.exists', 'env', 'package', 'said.incompatible-pin', 'torch.cuda'],
  citations: ['ld-so-manual', 'nvjitlink-api'],
  explains: [
    'application/application-exception',
    'said.lib-symbol-missing',
    'said.ld-undefined-*',
    'said.jax-*',
    'said.tf-*',
    'framework/cpu-only-framework-build',
    'said.cuda-no-device',
  ],
  check(_, context) {
    const inventory = olderShadowInImage(context, /^libnvJitLink\.so/, 'libnvJitLink');
    if (inventory !== null) return inventory;
    const loaded = olderLoaded(context, /^libnvJitLink\.so/, 'libnvJitLink', /^nvidia-nvjitlink(?:-cu\d\d)?$/);
    const found = jitLink(context);
    if (found === null) return loaded ?? { kind: 'silent' };
    const { lead, shadow, bundled, wheel } = found;
    if (shadow === null && wheel?.older === true)
      return {
        kind: 'cleared',
        because: `the installed nvJitLink package itself is older (${wheel.version})`,
        seen: quote(4, lead, wheel.fact),
      };
    if (shadow?.resolved !== true && bundled !== null)
      return {
        kind: 'cleared',
        because: `the loader took the package's own nvJitLink, ${bundled.path}`,
        seen: quote(4, lead, bundled.fact),
      };
    const remedies = [
      {
        actor: 'developer',
        do: 'take the folder of the other toolkit out of LD_LIBRARY_PATH',
        command: 'unset LD_LIBRARY_PATH',
      },
      { actor: 'node-admin', do: 'do not set LD_LIBRARY_PATH to a toolkit in shell profiles or modules' },
    ] as const;
    if (shadow !== null) {
      return {
        kind: 'fault',
        // A wheel that is too old would fail without the path too: then the path alone proves nothing.
        certainty: shadow.resolved || wheel?.older !== true ? 'proved' : 'likely',
        message: `libnvJitLink of ${found.wantsText} is needed, and an older one comes first: ${shadow.what}`,
        seen: quote(5, lead, shadow.fact),
        remedies,
        weight: shadow.resolved ? 3 : 2,
      };
    }
    return {
      kind: 'fault',
      // A wheel of the right release is there, so what was loaded is another copy.
      certainty: wheel?.older === false ? 'likely' : wheel === null ? 'likely' : 'possible',
      message: `libnvJitLink of ${found.wantsText} is needed, and an older one was loaded`,
      seen: quote(4, lead, wheel?.older === false ? wheel.fact : undefined),
      remedies,
      missing: [
        {
          fact: 'loader.resolved',
          ask: 'ldd $(python -c "import nvidia.cusparse,os;print(list(nvidia.cusparse.__path__)[0])")/lib/libcusparse.so.12 | grep nvJitLink; echo $LD_LIBRARY_PATH; pip list | grep -i nvjitlink',
        },
      ],
      weight: 1,
    };
  },
});
