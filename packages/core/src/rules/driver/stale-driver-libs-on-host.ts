import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byWords, loadedLibcuda } from './_loads.ts';
import { installedDriver, noGpuSeen, ofHost, own, saidOf, seenOf, works } from './_machine.ts';
import {
  compatInPlay,
  listedLibraries,
  mismatchMessages,
  olderRelease,
  pairOf,
  pairSeen,
  sameRelease,
} from './_releases.ts';

export const staleDriverLibsOnHost: Rule = defineRule({
  id: 'driver/stale-driver-libs-on-host',
  summary: 'Libraries of an older driver are still found on the host',
  needs: [],
  anyOf: [
    'loader.resolved',
    'loader.cache',
    'file.exists',
    'driver.library',
    'said.nvml-driver-library-mismatch',
    'said.tf-kernel-dso-mismatch',
  ],
  uses: [
    'driver.module',
    'driver.version',
    'package',
    'said.nvrm-api-mismatch',
    'said.cuda-system-driver-mismatch',
    'said.cuda-unknown-error',
    'said.cuda-no-device',
    'said.cuda-insufficient-driver',
    'said.triton-active-drivers',
    'said.ncc-mount-stat-failed',
    'said.ncc-load-library-failed',
    'said.ncc-driver-rpc',
    'said.ld-missing-other-lib',
    'torch.cuda-available',
  ],
  citations: ['driver-installation-guide', 'libnvidia-container'],
  explains: [
    'said.nvml-*',
    'said.nvrm-api-mismatch',
    'said.tf-*',
    'said.cuda-*',
    'said.pt-*',
    'said.ncc-*',
    'said.ld-*',
    'said.oci-*',
    'said.triton-active-drivers',
    'framework/*',
    'driver/kmod-userspace-mismatch-after-upgrade',
    'driver/userspace-newer-than-kernel-module',
    'driver/driver-below-toolkit-minimum',
    'container-runtime/driver-lib-not-injected',
  ],
  check(_, context) {
    if (compatInPlay(context)) return { kind: 'silent' };
    const pair = pairOf(context);
    const reference =
      pair.module ??
      (installedDriver(context) === null
        ? undefined
        : { text: installedDriver(context)!.text, fact: installedDriver(context)!.fact });
    if (reference === undefined) {
      return pair.messages.length > 0
        ? {
            kind: 'unknown',
            missing: [
              {
                fact: 'loader.cache',
                ask: 'ldconfig -p | grep -E "libcuda|libnvidia-ml"; cat /proc/driver/nvidia/version',
              },
            ],
          }
        : { kind: 'silent' };
    }
    if (pair.library?.fact.scope === 'container' || pair.library?.fact.scope === 'image') return { kind: 'silent' };
    const listed = listedLibraries(context).filter(
      (each) => each.fact.scope !== 'container' && each.fact.scope !== 'image',
    );
    const old = listed.filter((each) => olderRelease(each.text, reference.text) === true);
    const right = listed.find((each) => sameRelease(each.text, reference.text) === true);
    const symptoms = saidOf(
      context,
      ...mismatchMessages,
      'cuda-system-driver-mismatch',
      'cuda-unknown-error',
      'cuda-no-device',
      'cuda-insufficient-driver',
      'triton-active-drivers',
      'ncc-mount-stat-failed',
      'ncc-load-library-failed',
      'cuda-jit-compiler-not-found',
      'ncc-driver-rpc',
      'ld-missing-other-lib',
      'smi-couldnt-communicate',
      'nvml-library-not-found',
      'cuda-initialization-error',
    );
    const blind = noGpuSeen(context);
    const failing = symptoms.length > 0 || blind !== undefined;
    // Errors that a second release of a library gives; others have many reasons.
    const telling = saidOf(
      context,
      ...mismatchMessages,
      'cuda-system-driver-mismatch',
      'triton-active-drivers',
      'ncc-mount-stat-failed',
      'ncc-load-library-failed',
      'ncc-driver-rpc',
      'ld-missing-other-lib',
      'cuda-jit-compiler-not-found',
    );
    const remedies = [
      {
        actor: 'node-admin' as const,
        do: 'find what put the old files there: a package that was not removed, or an installer that was run beside the packages',
        command: 'dpkg -S /usr/lib/x86_64-linux-gnu/libcuda.so.* || rpm -qf /usr/lib64/libcuda.so.*',
      },
      {
        actor: 'node-admin' as const,
        do: 'remove the old release with the tool that installed it, then rebuild the loader cache',
        command: 'ldconfig && ldconfig -p | grep libcuda',
      },
    ];
    const first = old[0];
    const loaded = loadedLibcuda(context);
    const stale = loaded !== null && loaded.order === 'older' && loaded.load.value.kind !== 'compat' ? loaded : null;
    if (stale !== null && own(context, 'container.inside').length === 0)
      return {
        kind: 'fault',
        certainty: stale.sure && stale.right !== undefined ? 'proved' : 'likely',
        message: `a process takes libcuda ${stale.version} (${stale.path}) ${byWords(stale.load)}, older than the kernel module ${stale.module.value}${stale.right === undefined ? '' : `; ${stale.right} loses`}`,
        seen: [...seenOf(stale.load, stale.module), ...seenOf(...symptoms, blind)],
        remedies,
        weight: 5,
      };
    // No process finds the old files: the loader was looked at, and takes the right one.
    if (first !== undefined && !failing && loaded?.order === 'same' && loaded.sure)
      return {
        kind: 'cleared',
        because: `files of driver ${first.text} lie about, but ${loaded.path} is what the loader takes`,
        seen: seenOf(loaded.load, loaded.module),
      };
    if (first === undefined) {
      if (pair.relation === 'library-older' && pair.library !== undefined) {
        return {
          kind: 'fault',
          certainty: 'likely',
          message: `the driver library that is used is ${pair.library.text}, older than the kernel module ${reference.text}`,
          seen: pairSeen(pair),
          remedies,
          missing: [
            {
              fact: 'loader.cache',
              ask: 'ldconfig -p | grep -E "libcuda|libnvidia-ml"; find / -xdev -name "libcuda.so.*" -o -xdev -name "libnvidia-ml.so.*"',
            },
          ],
          weight: 2,
        };
      }
      if (right !== undefined) {
        return {
          kind: 'cleared',
          because: `every driver library that is listed is ${reference.text}`,
          seen: seenOf(right.fact, reference.fact),
        };
      }
      return failing && pair.relation === 'told-by-message' && listed.length === 0
        ? { kind: 'unknown', missing: [{ fact: 'loader.cache', ask: 'ldconfig -p | grep -E "libcuda|libnvidia-ml"' }] }
        : { kind: 'silent' };
    }
    // The entry that the loader takes is the first of its name.
    const winner = [...ofHost(context, 'loader.resolved'), ...ofHost(context, 'loader.cache')].find((fact) =>
      /^libcuda\.so|^libnvidia-ml\.so/.test(fact.value.soname),
    );
    const wins = pair.relation === 'library-older' || old.some((each) => each.fact === winner);
    if (!failing && !wins && (works(context) || own(context, 'driver.answers').length > 0)) return { kind: 'silent' };
    const seen = [...seenOf(reference.fact, first.fact, right?.fact), ...pairSeen(pair), ...seenOf(...symptoms, blind)];
    return {
      kind: 'fault',
      certainty:
        failing && wins
          ? 'proved'
          : telling.length > 0
            ? right !== undefined
              ? 'proved'
              : 'likely'
            : wins
              ? 'likely'
              : 'possible',
      message: `libraries of driver ${first.text} are still found beside driver ${reference.text}`,
      seen,
      remedies,
      missing: failing ? [] : [{ fact: 'said', ask: 'LD_DEBUG=libs nvidia-smi 2>&1 | grep -E "libnvidia-ml|libcuda"' }],
      weight: 4,
    };
  },
});
