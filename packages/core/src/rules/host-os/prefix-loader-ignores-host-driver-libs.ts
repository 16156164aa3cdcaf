import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { cpuBuild } from '../framework/_build.ts';
import {
  byPrint,
  files,
  missing,
  noGpu,
  noGpuConsequences,
  noGpuMessages,
  own,
  seen,
} from '../container-runtime/_container.ts';

/** How each stack is told where the host's driver is. */
const cures: readonly (readonly [RegExp, string, string])[] = [
  [
    /^\/nix\/store|^\/run\/opengl-driver/,
    'Nix',
    'nixGL PROGRAM   # on NixOS: hardware.graphics.enable = true, which fills /run/opengl-driver/lib',
  ],
  [
    /^\/gnu\/store/,
    'Guix',
    'guix shell --share=/usr/lib/x86_64-linux-gnu …; LD_LIBRARY_PATH to a folder with links to libcuda.so.1',
  ],
  [
    /^\/cvmfs/,
    'a stack on CVMFS',
    '/cvmfs/software.eessi.io/versions/VERSION/scripts/gpu_support/nvidia/link_nvidia_host_libraries.sh',
  ],
  [/linuxbrew/, 'Homebrew', 'ln -s /usr/lib/x86_64-linux-gnu/libcuda.so.1 $(brew --prefix)/lib/'],
];

export const prefixLoaderIgnoresHostDriverLibs: Rule = defineRule({
  id: 'host-os/prefix-loader-ignores-host-driver-libs',
  summary: 'The program runs under a loader of its own, which does not search the host’s driver folder',
  needs: [],
  anyOf: [...noGpuMessages, 'loader.resolved', 'torch.cuda-available', 'framework.devices'],
  uses: ['loader.interpreter', 'loader.cache', 'file.exists', 'driver.answers'],
  citations: ['eessi-gpu', 'nixos-cuda'],
  explains: [
    ...noGpuConsequences,
    'said.ld-*',
    'driver/driver-lib-not-packaged',
    'image/host-driver-path-not-in-ld-cache',
    'image/host-driver-path-not-in-container-path',
  ],
  check(_facts, context) {
    const symptom = noGpu(context).find((fact) => !/^said\.(?:k8s-|smi-couldnt|nvml-driver-not)/.test(fact.id));
    const interpreters = own(context, 'loader.interpreter');
    const own_ = interpreters.find((fact) => !/^\/(?:lib|lib64|usr\/lib|usr\/lib64)\//.test(fact.value));
    const system = interpreters.find((fact) => /^\/(?:lib|lib64|usr\/lib|usr\/lib64)\//.test(fact.value));
    if (symptom === undefined || cpuBuild(context) !== null) return { kind: 'silent' };
    if (own_ === undefined) {
      return system === undefined
        ? { kind: 'silent' }
        : {
            kind: 'cleared',
            because: `the program runs under the system’s loader ${system.value}`,
            seen: seen(system),
          };
    }
    const resolved = own(context, 'loader.resolved').find(
      (fact) =>
        /^libcuda\.so/.test(fact.value.soname) && fact.value.path !== null && !fact.value.path.includes('/stubs/'),
    );
    if (resolved !== undefined)
      return { kind: 'cleared', because: `libcuda is found at ${resolved.value.path!}`, seen: seen(resolved) };
    const hostLibrary =
      files(context, /^\/(?:usr\/)?lib(?:64|\/[\w-]{1,40})?\/(?:nvidia\/)?libcuda\.so/)[0] ??
      own(context, 'loader.cache').find((fact) => /^libcuda\.so/.test(fact.value.soname));
    const works = hostLibrary ?? own(context, 'driver.answers')[0];
    const cure = cures.find(([pattern]) => pattern.test(own_.value));
    const remedies = [
      {
        actor: 'node-admin',
        do: `let ${cure?.[1] ?? 'the software stack'} find the host’s libcuda`,
        command: cure?.[2] ?? 'ln -s /usr/lib64/libcuda.so.1 PREFIX/lib64/',
      },
      {
        actor: 'node-admin',
        do: 'link only the driver’s libraries; the whole /usr/lib in LD_LIBRARY_PATH would mix two C libraries',
      },
    ] as const;
    if (works === undefined) {
      return {
        kind: 'fault',
        certainty: 'possible',
        message: `the program comes from ${own_.value.split('/').slice(0, 4).join('/')} and finds no driver library`,
        seen: seen(symptom, own_),
        remedies,
        missing: [missing('driver.answers', 'nvidia-smi -L; ldconfig -p | grep libcuda')],
        weight: 1,
      };
    }
    return {
      kind: 'fault',
      certainty: byPrint(symptom, own_, works),
      message:
        hostLibrary === undefined
          ? `the driver works on this host, but the loader of ${own_.value.split('/').slice(0, 4).join('/')} does not find its library`
          : `libcuda is on this host, but the loader of ${own_.value.split('/').slice(0, 4).join('/')} does not search there`,
      seen: seen(symptom, own_, works),
      remedies,
      weight: 4,
    };
  },
});
