import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { stubInImage } from '../image/_driver-files.ts';
import { noGpuSeen, own, saidOf, seenOf, works } from '../driver/_machine.ts';
import { stubError, stubInBinary, stubLoaded, stubOnPath } from '../driver/_stubs.ts';

export const libcudaStubOnPath: Rule = defineRule({
  id: 'host-os/libcuda-stub-on-path',
  summary: "The loader finds the toolkit's link-time stub of libcuda before the driver's library",
  needs: [],
  anyOf: [
    'image.search-folder',
    'image.libcuda',
    'said.cuda-call-failed',
    'said.cuda-stub-library',
    'said.libcuda-in-stubs',
    'said.stubs-on-library-path',
    'env',
    'loader.resolved',
    'loader.cache',
  ],
  uses: [
    'said.cuda-unknown-error',
    'said.cuda-initialization-error',
    'said.cuda-no-device',
    'torch.cuda-available',
    'said.stubs-in-binary',
    'said.stubs-on-link-line',
  ],
  citations: ['cuda-installation-guide', 'cuda-runtime-types'],
  explains: [
    'said.cuda-*',
    'said.pt-*',
    'said.tf-*',
    'said.numba-*',
    'framework/*',
    'driver/*',
    'application/libcuda-stub-linked-at-build',
  ],
  check(_, context) {
    const inventory = stubInImage(context);
    if (inventory !== null) return inventory;
    const errors = stubError(context);
    const loaded = stubLoaded(context);
    const path = stubOnPath(context);
    const binary = stubInBinary(context);
    const others = saidOf(
      context,
      'cuda-unknown-error',
      'cuda-initialization-error',
      'cuda-no-device',
      'cuda-insufficient-driver',
      'cuda-shared-object-symbol',
      'pt-no-driver',
      'numba-driver-not-found',
    );
    const blind = noGpuSeen(context);
    if (binary.length > 0 && path.length === 0) return { kind: 'silent' };
    const remedies = [
      {
        actor: 'developer' as const,
        do: 'take the stubs directory off the run path; it is for the linker alone',
        command: 'export LD_LIBRARY_PATH=$(echo "$LD_LIBRARY_PATH" | tr ":" "\\n" | grep -v /stubs | paste -sd:)',
      },
      {
        actor: 'node-admin' as const,
        do: 'take it out of the loader configuration, too',
        command: 'grep -r stubs /etc/ld.so.conf.d; ldconfig -p | grep libcuda',
      },
    ];
    const failing = [...errors, ...others, ...(blind === undefined ? [] : [blind])];
    if (loaded.length > 0 || (path.length > 0 && errors.length > 0)) {
      const facts = [...errors, ...loaded, ...path];
      const printed = facts.filter((fact) => !fact.told);
      const decided =
        (loaded.some((fact) => !fact.told) && (failing.length > 0 || path.length > 0)) ||
        (errors.some((fact) => !fact.told) && path.some((fact) => !fact.told));
      if (
        loaded.length > 0 &&
        path.length === 0 &&
        own(context, 'env').some((fact) => fact.value.name === 'LD_LIBRARY_PATH')
      )
        return { kind: 'silent' };
      return {
        kind: 'fault',
        certainty: decided ? 'proved' : 'likely',
        message: "the loader takes the toolkit's stub of libcuda, not the library of the driver",
        seen: seenOf(...(decided ? printed : facts), ...(decided ? others.filter((fact) => !fact.told) : others)),
        remedies,
        weight: 4,
      };
    }
    if (errors.length > 0) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: 'the libcuda that was loaded is the link-time stub',
        seen: seenOf(...errors),
        remedies,
        missing: [
          {
            fact: 'loader.resolved',
            ask: 'echo "$LD_LIBRARY_PATH"; ldd PROGRAM | grep libcuda; readelf -d PROGRAM | grep -i path',
          },
        ],
        weight: 2,
      };
    }
    if (path.length > 0 && (failing.length > 0 || !works(context))) {
      return {
        kind: 'fault',
        certainty: failing.length > 0 ? 'likely' : 'possible',
        message: 'a stubs directory stands on the library path, so that the stub of libcuda can be loaded',
        seen: seenOf(...path, ...failing),
        remedies,
        missing: [{ fact: 'loader.resolved', ask: 'LD_DEBUG=libs PROGRAM 2>&1 | grep libcuda' }],
        weight: 2,
      };
    }
    const driver = own(context, 'loader.resolved').find(
      (fact) => fact.value.soname.startsWith('libcuda.so') && fact.value.path !== null,
    );
    return driver === undefined
      ? { kind: 'silent' }
      : { kind: 'cleared', because: `libcuda is taken from ${driver.value.path ?? ''}`, seen: driver.seen };
  },
});
