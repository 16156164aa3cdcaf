import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { captured, own, saidOf, seenOf } from '../driver/_machine.ts';

export const dkmsTreeStaleEntry: Rule = defineRule({
  id: 'host-os/dkms-tree-stale-entry',
  summary: 'What an earlier driver left in the DKMS tree blocks the build of the module',
  needs: [],
  anyOf: ['said.dkms-tree-stale', 'said.dkms-state'],
  uses: ['said.dkms-build-failed', 'said.smi-couldnt-communicate', 'said.package-half-configured'],
  citations: ['dkms', 'driver-installation-guide'],
  explains: [
    'said.dkms-build-failed',
    'said.smi-*',
    'said.nvml-*',
    'said.cuda-*',
    'said.pt-*',
    'said.tf-*',
    'said.modprobe-nvidia-not-found',
    'said.module-not-in-tree',
    'framework/*',
    'host-os/kmod-missing-for-running-kernel',
    'driver/kmod-not-upgraded-package-broken',
    'driver/kmod-userspace-mismatch-after-upgrade',
  ],
  check(_, context) {
    const stale = saidOf(context, 'dkms-tree-stale');
    const states = saidOf(context, 'dkms-state');
    const broken = states.filter((fact) => fact.value.captures['state'] === 'broken');
    const consequences = saidOf(
      context,
      'dkms-build-failed',
      'smi-couldnt-communicate',
      'package-half-configured',
      'module-not-in-tree',
    );
    const lead = [...stale, ...broken];
    if (lead.length > 0) {
      const entry = captured(lead, 'module', 'version', 'file', 'directory', 'link');
      return {
        kind: 'fault',
        message: `the DKMS tree holds an entry that is in the way${entry === undefined ? '' : `: ${entry.value}`}`,
        seen: seenOf(...lead, ...consequences.filter((fact) => !fact.told)),
        remedies: [
          {
            actor: 'node-admin',
            do: 'see which versions DKMS knows',
            command: 'dkms status; ls -l /var/lib/dkms/nvidia /usr/src | grep nvidia',
          },
          {
            actor: 'node-admin',
            do: 'remove the stale entry',
            command: 'dkms remove nvidia/VERSION --all || rm -rf /var/lib/dkms/nvidia/VERSION',
          },
          {
            actor: 'node-admin',
            do: 'build the module of the installed driver for the running kernel',
            command: 'dkms autoinstall -k "$(uname -r)" && modprobe nvidia',
          },
        ],
        weight: 5,
      };
    }
    const installed = states.find((fact) => fact.value.captures['state'] === 'installed');
    if (installed !== undefined) {
      return { kind: 'cleared', because: 'DKMS has the module installed and no broken entry', seen: installed.seen };
    }
    if (states.length > 0 && (consequences.length > 0 || own(context, 'modules.absent').length > 0)) {
      return {
        kind: 'fault',
        certainty: 'possible',
        message: 'DKMS knows the module, but has not built it',
        seen: seenOf(...states, ...consequences),
        remedies: [
          { actor: 'node-admin', do: 'build it and read what DKMS says', command: 'dkms autoinstall -k "$(uname -r)"' },
        ],
        missing: [{ fact: 'said.dkms-tree-stale', ask: 'dkms autoinstall -k "$(uname -r)"; dkms status' }],
      };
    }
    return { kind: 'silent' };
  },
});
