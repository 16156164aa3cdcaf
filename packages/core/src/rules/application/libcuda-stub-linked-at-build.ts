import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { own, saidOf, seenOf } from '../driver/_machine.ts';
import { stubError, stubInBinary, stubLoaded, stubOnPath } from '../driver/_stubs.ts';

export const libcudaStubLinkedAtBuild: Rule = defineRule({
  id: 'application/libcuda-stub-linked-at-build',
  summary: "The build wrote the directory of libcuda's stub into the program",
  needs: [],
  anyOf: [
    'said.cuda-call-failed',
    'said.stubs-in-binary',
    'said.stubs-on-link-line',
    'said.cuda-stub-library',
    'said.libcuda-in-stubs',
    'loader.resolved',
  ],
  uses: ['env', 'loader.cache', 'said.stubs-on-library-path'],
  citations: ['cuda-installation-guide', 'cmake-rpath'],
  explains: ['said.cuda-*', 'said.pt-*', 'framework/*', 'driver/*', 'host-os/libcuda-stub-on-path'],
  check(_, context) {
    const binary = stubInBinary(context);
    const line = saidOf(context, 'stubs-on-link-line');
    const errors = stubError(context);
    const loaded = stubLoaded(context);
    const path = stubOnPath(context);
    const variable = own(context, 'env').find((fact) => fact.value.name === 'LD_LIBRARY_PATH');
    const others = saidOf(
      context,
      'cuda-unknown-error',
      'cuda-initialization-error',
      'cuda-no-device',
      'cuda-insufficient-driver',
    );
    const failing = [...errors, ...loaded, ...others];
    const remedies = [
      {
        actor: 'developer' as const,
        do: 'link against the stub, but keep its directory out of the run path',
        command: 'cmake -DCMAKE_BUILD_RPATH_USE_ORIGIN=ON -DCMAKE_SKIP_INSTALL_RPATH=ON; chrpath -d PROGRAM',
      },
      {
        actor: 'developer' as const,
        do: 'check that the program takes libcuda from the driver',
        command: 'readelf -d PROGRAM | grep -i path; ldd PROGRAM | grep libcuda',
      },
    ];
    if (path.length > 0 && binary.length === 0)
      return line.length > 0 || errors.length > 0
        ? {
            kind: 'cleared',
            because: 'the stubs directory stands on the library path of the machine',
            seen: seenOf(...path),
          }
        : { kind: 'silent' };
    if (binary.length > 0) {
      const decided = binary.some((fact) => !fact.told) && failing.some((fact) => !fact.told);
      return {
        kind: 'fault',
        certainty: decided ? 'proved' : failing.length > 0 ? 'likely' : 'possible',
        message: `the run path of the program holds ${binary[0]!.value && (binary[0] as { value: { captures?: Record<string, string> } }).value.captures?.['path']}, the directory of the stub`,
        seen: seenOf(...binary, ...failing.filter((fact) => !decided || !fact.told)),
        remedies,
        missing: failing.length > 0 ? [] : [{ fact: 'loader.resolved', ask: 'ldd PROGRAM | grep libcuda' }],
        weight: 5,
      };
    }
    if (loaded.length > 0 && variable !== undefined) {
      return {
        kind: 'fault',
        certainty: line.length > 0 ? 'proved' : 'likely',
        message:
          'the program takes the stub of libcuda, though the library path does not name its directory: the build wrote it in',
        seen: seenOf(...loaded, variable, ...line, ...errors),
        remedies,
        missing:
          line.length > 0
            ? []
            : [{ fact: 'run path of the program', ask: 'readelf -d PROGRAM | grep -iE "rpath|runpath"' }],
        weight: 4,
      };
    }
    // To link against the stub is right; only an error of the stub itself makes the link line suspicious.
    if (line.length > 0 && (errors.length > 0 || loaded.length > 0)) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: 'the link line of the build names the directory of the stub, and the program loads a stub',
        seen: seenOf(...line, ...failing),
        remedies,
        missing: [
          {
            fact: 'run path of the program',
            ask: 'readelf -d PROGRAM | grep -iE "rpath|runpath"; ldd PROGRAM | grep libcuda',
          },
        ],
        weight: 3,
      };
    }
    if (errors.length === 0) return { kind: 'silent' };
    return {
      kind: 'fault',
      certainty: 'possible',
      message:
        'the libcuda that was loaded is the link-time stub; the build may have written its directory into the program',
      seen: seenOf(...errors),
      remedies,
      missing: [
        {
          fact: 'run path of the program',
          ask: 'readelf -d PROGRAM | grep -iE "rpath|runpath"; echo "$LD_LIBRARY_PATH"',
        },
      ],
      weight: 1,
    };
  },
});
