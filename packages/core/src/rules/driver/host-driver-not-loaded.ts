import type { Outcome, Remedy, Rule, RuleContext } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';
import { atLink, stoppedAt } from '../orchestrator/_link.ts';

/** A machine with GPUs on its bus that no driver has taken, and no module loaded. */
function withoutModule(context: RuleContext): Outcome {
  const counted = own(context, 'pci.gpus-counted')[0];
  const gpus = own(context, 'pci.gpu');
  const absent = own(context, 'modules.absent').find((fact) => fact.value.includes('nvidia'));
  if (counted === undefined || counted.value === 0 || counted.told || absent === undefined) return { kind: 'silent' };
  // Handed to a virtual machine, or with nouveau: other rules speak of these.
  if (gpus.length === 0 || gpus.some((fact) => fact.value.driver !== null)) return { kind: 'silent' };
  if (own(context, 'driver.module').length > 0 || own(context, 'driver.answers').length > 0) return { kind: 'silent' };
  return {
    kind: 'fault',
    message: `${counted.value === 1 ? 'a GPU of NVIDIA is' : `${counted.value} GPUs of NVIDIA are`} on the PCI bus, and the driver is not loaded`,
    seen: seen(gpus[0], absent),
    remedies: [
      {
        actor: 'node-admin',
        do: 'see why the module is not loaded: not installed, not built for this kernel, refused',
        command: 'modprobe nvidia; dmesg | grep -iE "nvrm|nvidia" | tail; modinfo nvidia | head -3; dkms status',
      },
      { actor: 'node-admin', do: 'install the driver for the kernel that runs, or load it' },
    ],
    weight: -1,
  };
}

const remedies: readonly Remedy[] = [
  {
    actor: 'node-admin',
    do: 'make nvidia-smi work on the host first',
    command: 'nvidia-smi; lsmod | grep nvidia; modprobe nvidia; dmesg | grep -i nvrm | tail',
  },
  { actor: 'node-admin', do: 'install the driver on the host; an image cannot bring it' },
  { actor: 'cluster-admin', do: 'with the GPU operator: wait until its driver pod is ready' },
];

/** An installer that put a driver in place, which then did not answer. */
function unverified(context: RuleContext): Outcome | null {
  const lead = said(context, 'cos-driver-not-verified')[0];
  if (lead === undefined) return null;
  const works = own(context, 'driver.answers').find((fact) => fact.scope !== 'container' && fact.order > lead.order);
  if (works !== undefined) return { kind: 'cleared', because: 'nvidia-smi answers on the host', seen: seen(works) };
  return {
    kind: 'fault',
    certainty: byPrint(lead),
    message: 'the driver that was installed on the node does not answer',
    seen: seen(lead),
    remedies: [
      {
        actor: 'node-admin',
        do: 'read why the module does not start: the wrong release or flavour for this GPU, or a fault of it',
        command: 'sudo dmesg | grep -iE "nvrm|nvidia" | tail',
      },
      {
        actor: 'cluster-admin',
        do: 'choose a driver version that this image of the OS offers for the GPU',
        command: 'cos-extensions list -- --gpu',
      },
    ],
    weight: 1,
  };
}

/** The first GPU has no device file when slurmd starts, and no module is loaded. */
function beforeSlurm(context: RuleContext): Outcome | null {
  const lead = said(context, 'slurm-gres-file').find((fact) =>
    /^\/dev\/nvidia0$/.test(
      fact.value.captures['file'] ?? fact.value.captures['file2'] ?? fact.value.captures['file3'] ?? '',
    ),
  );
  const absent = own(context, 'modules.absent').find((fact) => fact.value.includes('nvidia'));
  if (lead === undefined || absent === undefined || own(context, 'driver.answers').length > 0) return null;
  return {
    kind: 'fault',
    certainty: byPrint(lead, absent),
    message: 'slurmd finds no device file of a GPU, for the driver is not loaded',
    seen: seen(lead, absent),
    remedies: [
      remedies[0]!,
      {
        actor: 'node-admin',
        do: 'load the driver and make its device files before slurmd starts',
        command: 'systemctl enable --now nvidia-persistenced; systemctl restart slurmd',
      },
    ],
    explains: ['orchestrator/slurm-gres-count-mismatch', 'said.slurm-gres-file', 'said.runtime-device-eperm'],
    weight: 3,
  };
}

/** Apptainer looked for the driver's files on its host, and there is no driver. */
function nothingToBind(context: RuleContext): Outcome | null {
  const lead = said(context, 'singularity-nv-missing')[0];
  const absent = own(context, 'modules.absent').find((fact) => fact.value.includes('nvidia'));
  if (lead === undefined || absent === undefined || own(context, 'driver.answers').length > 0) return null;
  const command = said(context, 'smi-not-found')[0];
  return {
    kind: 'fault',
    certainty: byPrint(lead, absent),
    message: 'Apptainer finds no files of the driver on this node, and no module of it is loaded',
    seen: seen(lead, absent, command),
    remedies: [
      remedies[0]!,
      { actor: 'developer', do: 'or run on a node that has a GPU', command: 'srun --gres=gpu:1 …' },
    ],
    explains: ['said.singularity-nv-missing', 'container-runtime/*'],
    weight: 3,
  };
}

export const hostDriverNotLoaded: Rule = defineRule({
  id: 'driver/host-driver-not-loaded',
  summary: 'The host has no running driver for its containers',
  needs: [],
  anyOf: [
    'k8s.link',
    'said.ncc-nvml-error',
    'said.ncc-load-library-failed',
    'pci.gpus-counted',
    'said.cos-driver-not-verified',
    'said.slurm-gres-file',
    'said.singularity-nv-missing',
  ],
  uses: [
    'said.smi-couldnt-communicate',
    'said.smi-not-found',
    'modules.absent',
    'modules.loaded',
    'pci.gpu',
    'package.absent',
    'said.proc-driver-missing',
  ],
  citations: ['libnvidia-container-source', 'driver-installation-guide'],
  explains: [
    'said.ncc-*',
    'said.oci-hook-failed',
    'said.k8s-create-container-error',
    'said.nct-*',
    'said.smi-*',
    'said.nvml-driver-not-loaded',
    'said.proc-driver-missing',
    'container-runtime/toolkit-driver-root-wrong',
    'said.cos-driver-not-verified',
  ],
  check(_facts, context) {
    const bare = nothingToBind(context);
    if (bare !== null) return bare;
    const link = stoppedAt(context, 'host-driver-not-loaded');
    if (link !== undefined)
      return atLink(link, [
        {
          actor: 'cluster-admin',
          do: 'read what the driver pod says',
          command: 'kubectl -n gpu-operator logs ds/nvidia-driver-daemonset -c nvidia-driver-ctr --tail=50',
        },
        {
          actor: 'node-admin',
          do: 'see that there is a driver container for this kernel, and that no other driver is in its way',
          command: 'uname -r; lsmod | grep -E "nvidia|nouveau"',
        },
      ]);
    const loaded = said(context, 'ncc-nvml-error').find((fact) =>
      /driver (?:not loaded|not found)|driver is not loaded/i.test(fact.value.captures['err'] ?? ''),
    );
    const library = said(context, 'ncc-load-library-failed').find((fact) =>
      /libnvidia-ml|libcuda/.test(fact.value.captures['lib'] ?? ''),
    );
    const lead = loaded ?? library;
    if (lead === undefined) return unverified(context) ?? beforeSlurm(context) ?? withoutModule(context);
    const works = own(context, 'driver.answers').find((fact) => fact.scope !== 'container');
    if (works !== undefined) return { kind: 'cleared', because: 'nvidia-smi answers on the host', seen: seen(works) };
    const proof =
      said(context, 'smi-couldnt-communicate', 'nvml-driver-not-loaded', 'proc-driver-missing')[0] ??
      own(context, 'modules.absent').find((fact) => fact.value.includes('nvidia')) ??
      said(context, 'smi-not-found').find((fact) => fact.scope !== 'container') ??
      own(context, 'package.absent').find((fact) => /nvidia(?!-container)/.test(fact.value)) ??
      own(context, 'loader.cache-absent').find((fact) => /libnvidia-ml|libcuda/.test(fact.value));
    return {
      kind: 'fault',
      certainty:
        proof === undefined
          ? loaded === undefined
            ? 'possible'
            : 'likely'
          : loaded === undefined
            ? 'likely'
            : byPrint(loaded, proof),
      message:
        loaded === undefined
          ? 'the host has no driver library for the container'
          : 'the driver of the host is not loaded',
      seen: seen(lead, proof),
      remedies,
      missing: proof === undefined ? [missing('driver.answers', 'nvidia-smi   # on the host')] : [],
      weight: loaded === undefined ? -2 : 0,
    };
  },
});
