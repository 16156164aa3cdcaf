import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { loadedModules, moduleAway, ofHost, own, saidOf, seenOf, works } from '../driver/_machine.ts';

export const nouveauOwnsGpu: Rule = defineRule({
  id: 'host-os/nouveau-owns-gpu',
  summary: 'The nouveau driver holds the GPU',
  needs: [],
  anyOf: [
    'said.nouveau-in-use',
    'said.nouveau-active',
    'modules.loaded',
    'said.nvrm-conflicting-driver',
    'said.nvidia-module-load-failed',
    'modules.absent',
    'pci.gpu',
  ],
  uses: ['said.smi-couldnt-communicate', 'said.nvrm-probe-failed', 'said.nvrm-no-gpu-found'],
  citations: ['driver-installation-guide', 'nvidia-installer'],
  explains: [
    'said.smi-*',
    'said.nvml-*',
    'said.nvrm-*',
    'said.nvidia-module-load-failed',
    'said.modprobe-nvidia-not-found',
    'said.nouveau-active',
    'said.cuda-*',
    'said.pt-*',
    'said.tf-*',
    'said.k8s-*',
    'framework/*',
    'host-os/kmod-missing-for-running-kernel',
    'host-os/secure-boot-unsigned-kmod',
    'driver/two-drivers-installed',
  ],
  check(_, context) {
    const loaded = loadedModules(context);
    const says = saidOf(context, 'nouveau-in-use').filter((fact) => !fact.told);
    const listed = loaded.facts.filter((fact) => fact.value.includes('nouveau'));
    const symptoms = saidOf(
      context,
      ...moduleAway,
      'nvrm-conflicting-driver',
      'nvrm-probe-failed',
      'nvrm-no-gpu-found',
      'modprobe-nvidia-not-found',
      'smi-no-devices-found',
      'nvidia-module-load-failed',
      'pt-no-driver',
      'cuda-no-device',
      'tf-no-cuda-drivers',
    );
    const answers = own(context, 'driver.answers').length > 0 || works(context);
    const remedies = [
      {
        actor: 'node-admin' as const,
        do: 'keep nouveau from loading',
        command: "printf 'blacklist nouveau\\noptions nouveau modeset=0\\n' > /etc/modprobe.d/blacklist-nouveau.conf",
      },
      {
        actor: 'node-admin' as const,
        do: 'rebuild the initramfs and reboot',
        command: 'update-initramfs -u || dracut -f; reboot',
      },
    ];
    // Its successor for newer GPUs.
    const nova = [
      ...own(context, 'pci.gpu').filter((fact) => /^nova/i.test(fact.value.driver ?? '')),
      ...saidOf(context, 'nvrm-conflicting-driver').filter((fact) =>
        /^nova/i.test(fact.value.captures['driver'] ?? ''),
      ),
    ];
    if (nova.length > 0 && !answers && !loaded.names.has('nvidia')) {
      return {
        kind: 'fault',
        certainty: nova.length > 1 || symptoms.some((fact) => !fact.told) ? 'proved' : 'likely',
        message: 'nova, the successor of nouveau, holds the GPU, so the NVIDIA module cannot take it',
        seen: seenOf(...nova, ...symptoms.filter((fact) => !fact.told)),
        remedies: [
          {
            actor: 'node-admin',
            do: 'keep nova and nouveau from loading',
            command:
              "printf 'blacklist nova_core\\nblacklist nova_drm\\nblacklist nouveau\\n' > /etc/modprobe.d/blacklist-nova.conf",
          },
          remedies[1]!,
        ],
        weight: 5,
      };
    }
    if (listed.length > 0 || says.length > 0) {
      if (loaded.names.has('nvidia') && says.length === 0) {
        return {
          kind: 'cleared',
          because: 'the nvidia module is loaded beside nouveau, and holds its GPU',
          seen: seenOf(...listed),
        };
      }
      if (answers) return { kind: 'silent' };
      // An installer that stops over nouveau, and a bus listing that names it, speak for themselves.
      const stated = says.some((fact) => fact.value.captures['pci'] === undefined);
      const decided = symptoms.some((fact) => !fact.told) || stated;
      return {
        kind: 'fault',
        certainty: decided ? 'proved' : 'likely',
        message: 'nouveau is loaded and holds the GPU, so the NVIDIA module cannot take it',
        seen: seenOf(...listed, ...says, ...symptoms.filter((fact) => !fact.told)),
        remedies,
        missing: decided
          ? []
          : [{ fact: 'modules.loaded', ask: 'lspci -nnk -d 10de: | grep -A3 -i -E "vga|3d"; nvidia-smi' }],
        weight: 5,
      };
    }
    const clear = ofHost(context, 'modules.absent').find((fact) => fact.value.includes('nouveau'));
    if (clear !== undefined) return { kind: 'cleared', because: 'nouveau is not loaded', seen: clear.seen };
    const failed = saidOf(context, 'nvidia-module-load-failed', 'nvrm-conflicting-driver', 'nouveau-active')[0];
    if (failed === undefined || loaded.names.has('nvidia')) return { kind: 'silent' };
    return {
      kind: 'fault',
      certainty: 'possible',
      message: 'another driver, usually nouveau, may hold the GPU',
      seen: failed.seen,
      remedies,
      missing: [{ fact: 'modules.loaded', ask: 'lsmod | grep nouveau; lspci -nnk -d 10de:' }],
      weight: 2,
    };
  },
});
