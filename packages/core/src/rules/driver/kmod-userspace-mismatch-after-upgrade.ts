import type { Remedy, Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { drainOf } from './_drain.ts';
import { loadedLibcuda, ofImage } from './_loads.ts';
import { own, seenOf } from './_machine.ts';
import {
  compatInPlay,
  moduleFileReleases,
  pairOf,
  pairSeen,
  rebootInVain,
  releaseOfPackage,
  sameRelease,
} from './_releases.ts';

export const kmodUserspaceMismatchAfterUpgrade: Rule = defineRule({
  id: 'driver/kmod-userspace-mismatch-after-upgrade',
  summary: 'The loaded kernel module and the driver libraries are different releases',
  needs: [],
  anyOf: [
    'driver.module',
    'driver.library',
    'said.nvml-driver-library-mismatch',
    'said.nvrm-api-mismatch',
    'said.tf-kernel-dso-mismatch',
  ],
  uses: [
    'package',
    'driver.module-file',
    'said.dkms-state',
    'package.change',
    'process.holder',
    'process.library',
    'gpu.holders',
    'modules.loaded',
    'loader.loads',
    'container.mount',
  ],
  citations: ['nvml-header', 'open-kernel-modules', 'driver-installation-guide'],
  explains: [
    'said.nvml-*',
    'said.nvrm-api-mismatch',
    'said.tf-kernel-dso-mismatch',
    'said.cuda-no-device',
    'said.cuda-unknown-error',
    'said.cuda-initialization-error',
    'said.cuda-system-driver-mismatch',
    'said.pt-no-driver',
    'said.pt-no-gpus-available',
    'said.pt-driver-init-failed',
    'said.ncc-*',
    'said.oci-*',
    'said.k8s-*',
    'said.tf-*',
    'said.ggml-*',
    'framework/*',
    'container-runtime/*',
    'driver/userspace-newer-than-kernel-module',
    'driver/uvm-module-missing',
    'driver/uvm-stale-after-suspend',
  ],
  check(_, context) {
    const pair = pairOf(context);
    const { module, library } = pair;
    const seen = pairSeen(pair);
    if (pair.relation === 'same' && module !== undefined && library !== undefined) {
      return { kind: 'cleared', because: `kernel module and driver library are both ${module.text}`, seen };
    }
    if (
      pair.messages.length === 0 &&
      (compatInPlay(context) || own(context, 'said.cuda-system-driver-mismatch').length > 0)
    )
      return { kind: 'silent' };
    // A compat libcuda is meant to differ from the module; only NVML and the kernel speak of the driver itself.
    if (compatInPlay(context) && pair.messages.every((fact) => fact.id === 'said.tf-kernel-dso-mismatch'))
      return { kind: 'silent' };
    if (rebootInVain(context).length > 0 && pair.messages.length > 0) return { kind: 'silent' };
    const inside = loadedLibcuda(context);
    if (
      inside !== null &&
      inside.order !== 'same' &&
      inside.load.value.kind === 'driver' &&
      inside.load.scope === 'container' &&
      own(context, 'container.mount').some((fact) => fact.value.from === 'host' && fact.value.path === inside.path)
    )
      return {
        kind: 'fault',
        certainty: inside.sure ? 'proved' : 'likely',
        message: `the loaded kernel module is ${inside.module.value}, but the container was given libcuda ${inside.version} of the host`,
        seen: seenOf(inside.load, inside.module),
        remedies:
          inside.order === 'older'
            ? [
                {
                  actor: 'node-admin',
                  do: 'start the container anew: it still has the driver files of the time when it was started',
                },
                {
                  actor: 'node-admin',
                  do: 'if a new container gets them too, write the CDI specification anew',
                  command: 'nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml',
                },
              ]
            : drainOf(context).remedies,
        weight: 3,
      };
    // A library of the image against the module of the host is the image's matter.
    if (library?.fact.scope === 'container' && module?.fact.scope !== 'container') return { kind: 'silent' };
    const hostAnswers = own(context, 'driver.answers').some((fact) => fact.scope !== 'container');
    const drain = drainOf(context);
    const remedies: readonly Remedy[] = [
      ...drain.remedies,
      {
        actor: 'node-admin',
        do: 'keep the driver packages out of unattended upgrades, and upgrade them only with a drain and a reboot',
      },
    ];
    if (pair.relation === 'library-newer' && module !== undefined && library !== undefined) {
      const files = moduleFileReleases(context);
      const behind = files.length > 0 && files.every((each) => sameRelease(each.text, library.text) === false);
      if (behind) return { kind: 'silent' };
      const match = files.find((each) => sameRelease(each.text, library.text) === true);
      // The libraries of the module are there, and only lose: a restart changes nothing.
      const taken = loadedLibcuda(context);
      if (taken?.right !== undefined && match === undefined) return { kind: 'silent' };
      // A file of the image is not of the host's driver.
      if (taken !== null && ofImage(context, taken.path)) return { kind: 'silent' };
      const change = own(context, 'package.change').findLast(
        (fact) =>
          fact.value.action === 'upgrade' &&
          /nvidia/.test(fact.value.name) &&
          fact.value.to !== null &&
          sameRelease(releaseOfPackage(fact.value.to) ?? '', library.text) === true,
      );
      const when = change?.value.time ?? null;
      const trigger =
        change === undefined
          ? ''
          : `: ${change.value.name} was upgraded${change.seen.some((each) => /unattended-upgrade/.test(each.text)) ? ' by unattended-upgrades' : ''}${when === null ? '' : ` on ${when}`}`;
      const going = new Set(drain.replaced.map((fact) => fact.value.pid)).size;
      const still =
        going === 0
          ? ''
          : `; ${going === 1 ? 'a process goes' : `${going} processes go`} on with the libraries that were replaced`;
      return {
        kind: 'fault',
        message: `the loaded kernel module is ${module.text}, but the driver library is ${library.text}${trigger}${still}`,
        seen: [...seen, ...seenOf(match?.fact, change, ...drain.replaced.slice(0, 1), ...drain.holders.slice(0, 2))],
        remedies,
        // A library that was baked into an image differs from the host's module by itself.
        ...(library.fact.scope === 'container' && hostAnswers ? { certainty: 'possible' as const } : {}),
        weight: pair.messages.length > 0 || match !== undefined ? 3 : 1,
      };
    }
    if (pair.relation === 'told-by-message') {
      const known = module?.text ?? library?.text;
      return {
        kind: 'fault',
        certainty: 'likely',
        message: `the loaded kernel module and the driver libraries are different releases${known === undefined ? '' : `; one of them is ${known}`}`,
        seen,
        remedies,
        missing: [
          {
            fact: 'driver.module',
            ask: 'cat /proc/driver/nvidia/version; modinfo -F version nvidia; ls -l /usr/lib/x86_64-linux-gnu/libcuda.so.* /usr/lib64/libcuda.so.*',
          },
        ],
        weight: 2,
      };
    }
    if (pair.relation === 'unknown' && module !== undefined && library === undefined) {
      return {
        kind: 'unknown',
        missing: [{ fact: 'driver.library', ask: 'ldconfig -p | grep -E "libcuda.so|libnvidia-ml.so"' }],
      };
    }
    return { kind: 'silent' };
  },
});
