import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { absentModules, byPrint, loadedModules, moduleAway, ofHost, saidOf, seenOf } from '../driver/_machine.ts';
import { otherModuleRefused } from '../ok/_needless.ts';

export const secureBootUnsignedKmod: Rule = defineRule({
  id: 'host-os/secure-boot-unsigned-kmod',
  summary: 'Secure boot refuses the signature of the NVIDIA kernel module',
  needs: [],
  anyOf: ['secure-boot', 'said.module-signature-rejected', 'said.lockdown-active'],
  uses: ['said.smi-couldnt-communicate', 'modules.absent', 'said.nvidia-module-load-failed'],
  citations: ['kernel-module-signing', 'driver-installation-guide'],
  explains: [
    'said.smi-*',
    'said.nvml-*',
    'said.modprobe-nvidia-not-found',
    'said.nvidia-module-load-failed',
    'said.cuda-*',
    'said.pt-*',
    'said.tf-*',
    'said.ncc-*',
    'framework/*',
    'host-os/kmod-missing-for-running-kernel',
    'host-os/nouveau-owns-gpu',
  ],
  check(_, context) {
    const other = otherModuleRefused(context);
    if (other !== undefined)
      return {
        kind: 'cleared',
        because: 'the module that was refused is not that of the GPUs, whose driver answers',
        seen: seenOf(other),
      };
    const refused = saidOf(context, 'module-signature-rejected');
    const locked = saidOf(context, 'lockdown-active');
    const state = ofHost(context, 'secure-boot')[0];
    const symptoms = saidOf(context, ...moduleAway);
    const rejection = [
      ...refused,
      ...locked.filter(
        (fact) =>
          (fact.value.captures['state'] === undefined && fact.value.captures['from'] === undefined) ||
          // The installer names the state and the refusal in one sentence.
          /not signed/.test(fact.seen[0]?.text ?? ''),
      ),
    ];
    const on =
      state?.value === 'enabled' ||
      locked.some(
        (fact) => fact.value.captures['state'] !== undefined || /Secure Boot/.test(fact.value.captures['from'] ?? ''),
      );
    if (loadedModules(context).names.has('nvidia') && rejection.length === 0) {
      return state === undefined
        ? { kind: 'silent' }
        : {
            kind: 'cleared',
            because: 'the nvidia module is loaded',
            seen: seenOf(state, ...loadedModules(context).facts),
          };
    }
    const remedies = [
      {
        actor: 'node-admin' as const,
        do: 'enrol the key that DKMS signs with, and confirm it in the firmware menu at the next boot',
        command: 'mokutil --import /var/lib/shim-signed/mok/MOK.der',
      },
      {
        actor: 'node-admin' as const,
        do: 'or install the modules that the distribution signs',
        command: 'apt-get install linux-modules-nvidia-VERSION-generic',
      },
      { actor: 'node-admin' as const, do: 'or turn secure boot off in the firmware, where the site allows it' },
    ];
    if (rejection.length > 0) {
      const certainty = on || rejection.some((fact) => !fact.told) ? byPrint(...rejection.slice(0, 1)) : 'likely';
      if (state?.value === 'disabled') {
        return {
          kind: 'fault',
          certainty: 'likely',
          message: 'the kernel refuses the signature of the NVIDIA module, though secure boot is off',
          seen: seenOf(...rejection, state),
          remedies,
          missing: [
            {
              fact: 'kernel parameter module.sig_enforce',
              ask: 'cat /sys/module/module/parameters/sig_enforce /proc/cmdline',
            },
          ],
          weight: 3,
        };
      }
      return {
        kind: 'fault',
        certainty,
        message: `the kernel refuses the signature of the NVIDIA module${on ? ', since secure boot is on' : ''}`,
        seen: seenOf(...rejection, ...(state === undefined ? [] : [state]), ...locked).filter(
          (each) => certainty !== 'proved' || !each.text.startsWith('# '),
        ),
        remedies,
        weight: 5,
      };
    }
    if (state?.value === 'disabled') return { kind: 'cleared', because: 'secure boot is off', seen: state.seen };
    if (!on || (symptoms.length === 0 && !absentModules(context).names.has('nvidia'))) return { kind: 'silent' };
    return {
      kind: 'fault',
      certainty: 'possible',
      message: 'secure boot is on and the NVIDIA module is not loaded: its signature may be refused',
      seen: seenOf(state, ...locked, ...symptoms),
      remedies,
      missing: [
        {
          fact: 'said.module-signature-rejected',
          ask: 'modprobe nvidia; dmesg | grep -iE "key|signature|lockdown" | tail',
        },
      ],
      weight: 3,
    };
  },
});
