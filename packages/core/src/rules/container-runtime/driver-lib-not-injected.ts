import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, seen, said } from './_container.ts';
import { missingDriverLibraries } from './_driver-libraries.ts';

export const driverLibNotInjected: Rule = defineRule({
  id: 'container-runtime/driver-lib-not-injected',
  summary: 'The host has a driver library that the container does not get',
  needs: [],
  anyOf: [
    'said.cuda-jit-compiler-not-found',
    'loader.resolved',
    'file.absent',
    'said.cuda-shared-object-symbol',
    'said.driver-library-missing',
  ],
  uses: ['file.exists', 'container.toolkit-version', 'env'],
  citations: ['container-toolkit-source', 'libnvidia-container-source'],
  explains: [
    'said.cuda-*',
    'said.ld-*',
    'application/application-exception',
    'said.pt-*',
    'said.nvrtc-*',
    'said.nvjitlink-*',
  ],
  check(_facts, context) {
    const found = missingDriverLibraries(context);
    if (found === null) return { kind: 'silent' };
    const { symptom, library, onHost, inContainer, absentOnHost, inContainerPicture, capability } = found;
    const remedies = [
      {
        actor: 'node-admin',
        do: 'update the NVIDIA container toolkit to a release that knows this library',
        command: 'nvidia-ctk --version',
      },
      {
        actor: 'node-admin',
        do: 'until then mount the file',
        command: `docker run -v /usr/lib/x86_64-linux-gnu/${library ?? 'LIBRARY'}:/usr/lib/x86_64-linux-gnu/${library ?? 'LIBRARY'}:ro …`,
      },
      { actor: 'vendor', do: 'report the library to the toolkit’s maintainers' },
    ] as const;
    if (inContainer && library !== undefined) {
      const file = own(context, 'file.exists').find((fact) => fact.value.includes(library.split('.so')[0]!));
      return { kind: 'cleared', because: `${library} is in the container`, seen: seen(file ?? symptom) };
    }
    if (absentOnHost !== undefined || capability !== undefined) return { kind: 'silent' };
    if (onHost !== undefined && inContainerPicture) {
      const listed = own(context, 'file.exists')
        .filter((fact) => fact.scope === 'container')
        .slice(0, 1);
      return {
        kind: 'fault',
        certainty: byPrint(symptom, onHost),
        message: `the host has ${library ?? 'the library'}, but the container was not given it`,
        seen: seen(symptom, onHost, ...listed),
        remedies,
        weight: 3,
      };
    }
    if (!inContainerPicture) return { kind: 'silent' };
    if (said(context, 'cuda-jit-compiler-not-found').length === 0 && library === undefined) return { kind: 'silent' };
    return {
      kind: 'fault',
      certainty: 'possible',
      message: `${library ?? 'a library of the driver'} is not in the container; the host may have it`,
      seen: seen(symptom),
      remedies,
      missing: [
        missing(
          'file.exists',
          'ls -l /usr/lib/x86_64-linux-gnu/libnvidia-{ptxjitcompiler,nvvm,nvvm70}.so*   # on the host and in the container',
        ),
      ],
      weight: 1,
    };
  },
});
