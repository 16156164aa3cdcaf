import type { Fact } from '../../model/facts.ts';
import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { own, seenOf } from './_machine.ts';
import { moduleFileReleases, olderRelease, pairOf, pairSeen, rebootInVain, sameRelease } from './_releases.ts';

export const kmodNotUpgradedPackageBroken: Rule = defineRule({
  id: 'driver/kmod-not-upgraded-package-broken',
  summary: 'The driver libraries were upgraded, the kernel module on disk was not: a reboot does not help',
  needs: [],
  anyOf: [
    'driver.module',
    'driver.module-file',
    'driver.library',
    'said.nvml-driver-library-mismatch',
    'said.nvrm-api-mismatch',
  ],
  uses: [
    'package',
    'said.reboot-did-not-help',
    'said.package-half-configured',
    'said.dkms-state',
    'said.dkms-build-failed',
  ],
  citations: ['nvml-header', 'driver-installation-guide'],
  explains: [
    'said.nvml-*',
    'said.nvrm-api-mismatch',
    'said.cuda-*',
    'said.pt-*',
    'said.ncc-*',
    'said.oci-*',
    'said.tf-*',
    'said.dkms-build-failed',
    'framework/*',
    'container-runtime/*',
    'driver/kmod-userspace-mismatch-after-upgrade',
    'driver/userspace-newer-than-kernel-module',
  ],
  check(_, context) {
    const pair = pairOf(context);
    const { module, library } = pair;
    if (pair.relation !== 'library-newer' && pair.relation !== 'told-by-message') return { kind: 'silent' };
    if (library?.fact.scope === 'container') return { kind: 'silent' };
    const files = moduleFileReleases(context);
    const fresh =
      library === undefined ? undefined : files.find((each) => sameRelease(each.text, library.text) === true);
    const vain = rebootInVain(context);
    const booted = own(context, 'said.just-booted').filter((fact) => !fact.told);
    const half = own(context, 'said.package-half-configured').filter((fact) =>
      /dkms|kernel|modules|kmod|driver/.test(fact.value.captures['package'] ?? 'driver'),
    );
    if (fresh !== undefined && vain.length === 0 && half.length === 0) {
      return {
        kind: 'cleared',
        because: `the module on disk is ${fresh.text} as well: loading it is enough`,
        seen: fresh.fact.seen,
      };
    }
    const behind =
      library === undefined ? undefined : files.find((each) => olderRelease(each.text, library.text) === true);
    const build = own(context, 'said.dkms-build-failed');
    const printed: readonly Fact[] = [...half, ...build, ...booted].filter((fact) => !fact.told);
    if (behind === undefined && vain.length === 0 && printed.length === 0) {
      return {
        kind: 'unknown',
        missing: [{ fact: 'driver.module-file', ask: 'modinfo -F version nvidia; dkms status' }],
      };
    }
    const proof = behind ?? module;
    const decided = library !== undefined && proof !== undefined && (behind !== undefined || printed.length > 0);
    return {
      kind: 'fault',
      certainty: decided ? 'proved' : 'likely',
      message:
        library !== undefined && proof !== undefined
          ? `the driver library is ${library.text}, but the kernel module ${behind === undefined ? 'is still' : 'on disk is'} ${proof.text}`
          : 'the kernel module stayed behind the driver libraries, and a restart did not change that',
      seen: decided
        ? [...pairSeen(pair), ...seenOf(behind?.fact, ...printed)]
        : [...pairSeen(pair), ...seenOf(...vain, ...printed)],
      remedies: [
        {
          actor: 'node-admin',
          do: 'see what the package manager left undone, and finish it',
          command:
            'dpkg --audit; dkms status; apt-get install --reinstall nvidia-dkms-$(modinfo -F version nvidia | cut -d. -f1)',
        },
        {
          actor: 'node-admin',
          do: 'rebuild the initramfs, so that the old module is not loaded from there',
          command: 'update-initramfs -u -k all || dracut -f --regenerate-all',
        },
        {
          actor: 'node-admin',
          do: 'reboot, and compare both releases',
          command: 'cat /proc/driver/nvidia/version; nvidia-smi',
        },
      ],
      ...(decided ? {} : { missing: [{ fact: 'driver.module-file', ask: 'modinfo -F version nvidia; dkms status' }] }),
      weight: 4,
    };
  },
});
