import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, capture, missing, own, said, seen } from '../container-runtime/_container.ts';

export const pciWindowUnassigned: Rule = defineRule({
  id: 'host-os/pci-window-unassigned',
  summary: 'Firmware or kernel gave a GPU no address space on the bus',
  needs: ['said.nvrm-bar-invalid'],
  uses: ['driver.answers', 'gpu.count'],
  citations: ['driver-readme-common-problems', 'kernel-parameters'],
  explains: [
    'said.nvrm-bar-invalid',
    'said.nvrm-probe-failed',
    'said.nvrm-rminitadapter-failed',
    'said.smi-*',
    'said.nvml-*',
    'said.cuda-*',
    'said.pt-*',
    'host-os/kmod-missing-for-running-kernel',
    'hardware/gpu-count-wrong',
    'driver/*',
  ],
  check(_facts, context) {
    const lines = said(context, 'nvrm-bar-invalid');
    const lead =
      lines.find((fact) => fact.value.captures['size'] !== undefined) ??
      lines.find((fact) => /PCI I\/O region/.test(fact.seen[0]?.text ?? ''));
    const kernel = lines.find((fact) => /no space for|failed to assign|can't assign/.test(fact.seen[0]?.text ?? ''));
    const remedies = [
      {
        actor: 'node-admin',
        do: 'turn on "Above 4G decoding" (and a large MMIO window) in the firmware; a virtual machine needs UEFI firmware and a 64-bit window',
      },
      {
        actor: 'node-admin',
        do: 'or let the kernel lay the bus out anew',
        command: 'pci=realloc   # kernel command line; with buses that are hot-plugged: pci=realloc,hpmmioprefsize=…',
      },
      { actor: 'node-admin', do: 'bring the firmware of the board up to date', command: 'dmidecode -s bios-version' },
    ] as const;
    if (lead === undefined) {
      const answers = own(context, 'driver.answers').find((fact) => fact.order > (kernel?.order ?? 0));
      if (answers !== undefined)
        return {
          kind: 'cleared',
          because: 'the driver answers; what the kernel found no room for was no window of a GPU in use',
          seen: seen(answers),
        };
      // Windows of virtual functions and ROMs are left out on many boards, to no harm.
      return {
        kind: 'unknown',
        missing: [missing('said.nvrm-bar-invalid', 'dmesg | grep -iE "nvrm|BAR"; lspci -vv -d 10de: | grep Region')],
      };
    }
    const pci = /PCI:([0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}(?:\.\d)?)/i.exec(
      lines.map((fact) => fact.seen[0]?.text ?? '').join(' '),
    )?.[1];
    return {
      kind: 'fault',
      certainty: byPrint(lead),
      message: `${pci === undefined ? 'a GPU' : `the GPU at ${pci}`} got no address space: BAR${capture([lead], 'bar') ?? ''} has ${capture([lead], 'size') ?? '0'} MiB, so the driver cannot start it`,
      seen: seen(lead, ...lines.filter((fact) => fact !== lead).slice(0, 2)),
      remedies,
      weight: 4,
    };
  },
});
