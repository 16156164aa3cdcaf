import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { captured, own, saidOf, seenOf } from './_machine.ts';
import { byWords, loadedLibcuda } from './_loads.ts';
import { listedLibraries, olderRelease, pairOf, sameRelease } from './_releases.ts';

export const userspaceNewerThanKernelModule: Rule = defineRule({
  id: 'driver/userspace-newer-than-kernel-module',
  summary: 'libcuda and the kernel module are a pair that is not supported',
  needs: [],
  anyOf: ['said.cuda-system-driver-mismatch', 'loader.loads'],
  uses: [
    'driver.module',
    'driver.version',
    'driver.library',
    'loader.resolved',
    'loader.cache',
    'file.exists',
    'said.compat-libcuda-in-use',
    'said.ngc-compat-enabled',
    'container.inside',
  ],
  citations: ['cuda-forward-compat', 'cuda-runtime-types'],
  explains: [
    'said.cuda-*',
    'said.pt-*',
    'said.tf-*',
    'said.ggml-*',
    'framework/*',
    'driver/driver-below-toolkit-minimum',
    'image/*',
  ],
  check(_, context) {
    const errors = saidOf(context, 'cuda-system-driver-mismatch');
    const loaded = loadedLibcuda(context);
    if (loaded?.load.value.kind === 'compat') {
      if (loaded.order === 'older')
        return {
          kind: 'fault',
          certainty: loaded.sure ? 'proved' : 'possible',
          message: `a process takes the compat libcuda ${loaded.version} (${loaded.path}) ${byWords(loaded.load)}, older than the kernel module ${loaded.module.value}${loaded.right === undefined ? '' : `; ${loaded.right} loses`}`,
          seen: seenOf(loaded.load, loaded.module, ...errors),
          remedies: [
            {
              actor: 'image-owner',
              do: 'take the compat folder off the search path: it helps only where the driver is older than it',
              command: 'grep -rn compat /etc/ld.so.conf.d; echo "$LD_LIBRARY_PATH"',
            },
            {
              actor: 'image-owner',
              do: 'let the container toolkit, or a start script that looks at the driver, decide',
            },
          ],
          weight: 4,
        };
      if (errors.length === 0)
        return {
          kind: 'cleared',
          because: `the compat libcuda ${loaded.version} that a process takes is not older than the kernel module ${loaded.module.value}`,
          seen: seenOf(loaded.load, loaded.module),
        };
    }
    if (errors.length === 0) return { kind: 'silent' };
    const pair = pairOf(context);
    // NVML says it as well: then the driver itself was upgraded under a loaded module.
    if (pair.messages.length > 0) return { kind: 'silent' };
    const modules = own(context, 'driver.module');
    const module = modules[0] ?? own(context, 'driver.version')[0];
    const note = captured(saidOf(context, 'ngc-compat-enabled'), 'library');
    const compat = saidOf(context, 'compat-libcuda-in-use');
    const compatRelease = captured(compat, 'path');
    const ofPath = /libcuda\.so\.(\d{3}\.[\d.]{1,9})$/.exec(compatRelease?.value ?? '')?.[1];
    const files = own(context, 'file.exists').flatMap((fact) => {
      const text = /\/compat\/\S{0,40}libcuda\.so\.(\d{3}\.[\d.]{1,9})$/.exec(fact.value)?.[1];
      return text === undefined ? [] : [{ text, fact }];
    });
    const candidates = [
      ...own(context, 'driver.library').map((fact) => ({ text: fact.value, fact })),
      ...(note === undefined ? [] : [{ text: note.value, fact: note.fact }]),
      ...(ofPath === undefined || compatRelease === undefined ? [] : [{ text: ofPath, fact: compatRelease.fact }]),
      ...files,
      ...listedLibraries(context),
    ];
    const library =
      module === undefined ? undefined : candidates.find((each) => sameRelease(each.text, module.value) === false);
    const remedies = [
      {
        actor: 'node-admin' as const,
        do: 'see which libcuda the program loads, and where it comes from',
        command: 'ldconfig -p | grep libcuda; echo "$LD_LIBRARY_PATH"; cat /proc/driver/nvidia/version',
      },
      {
        actor: 'node-admin' as const,
        do: 'remove the other libcuda from the search path, or upgrade the driver so that module and libcuda are one release',
      },
    ];
    if (module !== undefined && library !== undefined) {
      // Which libcuda a container takes is for the container toolkit to answer.
      const contained = library.fact.scope === 'container' && own(context, 'container.toolkit-version').length > 0;
      const older = olderRelease(library.text, module.value);
      return {
        kind: 'fault',
        certainty: contained
          ? 'possible'
          : module.told || library.fact.told || errors.every((fact) => fact.told)
            ? 'likely'
            : 'proved',
        message: `libcuda ${library.text} and kernel module ${module.value} are no supported pair${older === true ? ': the library is the older one' : ''}`,
        seen: seenOf(...errors, module, library.fact, ...compat),
        remedies,
        weight: 3,
      };
    }
    const same =
      module === undefined ? undefined : candidates.find((each) => sameRelease(each.text, module.value) === true);
    if (module !== undefined && same !== undefined && compat.length === 0) {
      return {
        kind: 'cleared',
        because: `libcuda and kernel module are both ${module.value}`,
        seen: seenOf(module, same.fact),
      };
    }
    // In a container the start of the container decides which libcuda is used.
    const inside = own(context, 'container.inside').length > 0 || errors.some((fact) => fact.scope === 'container');
    return {
      kind: 'fault',
      certainty: inside && module === undefined ? 'possible' : 'likely',
      message: `libcuda does not fit the kernel module${module === undefined ? '' : ` ${module.value}`}`,
      seen: seenOf(...errors, module, ...compat),
      remedies,
      missing: [
        {
          fact: 'driver.library',
          ask: 'cat /proc/driver/nvidia/version; ldconfig -p | grep libcuda; ls -l /usr/local/cuda/compat',
        },
      ],
      weight: 1,
    };
  },
});
