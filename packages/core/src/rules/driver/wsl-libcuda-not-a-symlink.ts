import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { own, saidOf, seenOf, works } from './_machine.ts';

export const wslLibcudaNotASymlink: Rule = defineRule({
  id: 'driver/wsl-libcuda-not-a-symlink',
  summary: 'The driver directory of WSL holds copies of libcuda in place of links',
  needs: [],
  anyOf: ['said.wsl-libcuda-plain-file', 'file.exists', 'loader.resolved'],
  uses: [
    'said.ld-missing-libcuda',
    'said.triton-libcuda-not-found',
    'said.ld-cannot-find-lcuda',
    'said.cuda-no-device',
  ],
  citations: ['cuda-wsl-guide'],
  explains: [
    'said.ld-missing-libcuda',
    'said.ld-cannot-find-lcuda',
    'said.triton-*',
    'said.numba-*',
    'said.cuda-no-device',
    'said.pt-*',
    'said.tf-*',
    'framework/*',
    'host-os/*',
    'toolkit/toolkit-lib-not-on-loader-path',
  ],
  check(_, context) {
    const says = saidOf(context, 'wsl-libcuda-plain-file').filter((fact) => !fact.told);
    const symptoms = saidOf(
      context,
      'ld-missing-libcuda',
      'triton-libcuda-not-found',
      'ld-cannot-find-lcuda',
      'cuda-no-device',
      'pt-no-driver',
      'tf-no-cuda-drivers',
      'numba-driver-not-found',
    );
    const files = own(context, 'file.exists').filter((fact) => /\/usr\/lib\/wsl\/lib\/libcuda\.so/.test(fact.value));
    if (says.length > 0) {
      const computed = own(context, 'health.sign').some((fact) => /on the GPU$/.test(fact.value.what));
      if ((works(context) || computed) && symptoms.length === 0) {
        return {
          kind: 'cleared',
          because: 'ldconfig only warns of the copies: the program finds libcuda',
          seen: seenOf(...says),
        };
      }
      // The warning is printed on machines that work as well: the listing or a failure shows that it matters here.
      const decided = symptoms.length > 0 || files.length > 1;
      return {
        kind: 'fault',
        certainty: decided ? 'proved' : 'likely',
        message: `${says[0]!.value.captures['path'] ?? 'libcuda in /usr/lib/wsl/lib'} is a plain file, so the loader cache has no link to it`,
        seen: seenOf(...says, ...files, ...symptoms.filter((fact) => !fact.told)),
        remedies: [
          {
            actor: 'node-admin',
            do: 'put links in place of the copies, from an administrator shell of Windows',
            command:
              'cd C:\\Windows\\System32\\lxss\\lib & del libcuda.so libcuda.so.1 & mklink libcuda.so.1 libcuda.so.1.1 & mklink libcuda.so libcuda.so.1',
          },
          {
            actor: 'node-admin',
            do: 'rebuild the loader cache in WSL',
            command: 'sudo ldconfig && ldconfig -p | grep libcuda',
          },
        ],
        missing: decided
          ? []
          : [{ fact: 'file.exists', ask: 'ls -l /usr/lib/wsl/lib/libcuda*; ldconfig -p | grep libcuda' }],
        weight: 4,
      };
    }
    const bare = files.length > 0 && symptoms.length > 0;
    if (!bare) return { kind: 'silent' };
    return {
      kind: 'fault',
      certainty: 'possible',
      message: 'libcuda is in /usr/lib/wsl/lib and is not found: its links may be missing there',
      seen: seenOf(...files, ...symptoms),
      remedies: [
        {
          actor: 'node-admin',
          do: 'see whether the files are links',
          command: 'ls -l /usr/lib/wsl/lib/libcuda*; sudo ldconfig',
        },
      ],
      missing: [{ fact: 'said.wsl-libcuda-plain-file', ask: 'ls -l /usr/lib/wsl/lib/libcuda*; sudo ldconfig' }],
      weight: 2,
    };
  },
});
