import type { Rule, RuleContext } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import type { Fact } from '../../model/facts.ts';
import type { ModuleFlavourRow } from '../../knowledge/branches.types.ts';
import { gpusOf, installedDriver, ofHost, saidOf, seenOf, works } from './_machine.ts';

/** GPUs of the machine that no proprietary module drives, with the row that says so. */
function openOnly(
  context: RuleContext,
): readonly { readonly fact: Fact; readonly name: string; readonly row: ModuleFlavourRow }[] {
  const branch = installedDriver(context)?.driver.version.branch ?? null;
  return gpusOf(context).flatMap(({ fact, gpu }) => {
    const all = context.knowledge.moduleFlavours.filter(
      (each) =>
        each.architecture === gpu.architecture &&
        (each.products === null || (gpu.name !== null && each.products.includes(gpu.name))) &&
        (branch === null ||
          ((each.fromBranch === null || branch >= each.fromBranch) &&
            (each.toBranch === null || branch <= each.toBranch))),
    );
    const named = all.filter((each) => each.products !== null);
    const rows = named.length > 0 ? named : all;
    const row = rows[0];
    // Where the branch is not known, every branch that drives the GPU has to ask for the open module.
    return row === undefined || rows.some((each) => each.flavours !== 'open-only')
      ? []
      : [{ fact, name: gpu.printed, row }];
  });
}

export const blackwellNeedsOpenKmod: Rule = defineRule({
  id: 'driver/blackwell-needs-open-kmod',
  summary: 'The GPU is driven by the open kernel module only, and the proprietary one is installed',
  needs: [],
  anyOf: ['said.nvrm-requires-open-module', 'gpu.name', 'driver.flavour'],
  uses: [
    'said.smi-no-devices-found',
    'said.nvrm-rminitadapter-failed',
    'said.nvrm-probe-failed',
    'said.smi-couldnt-communicate',
    'said.cuda-no-device',
    'package',
  ],
  citations: ['driver-kernel-modules'],
  explains: [
    'said.smi-*',
    'said.nvml-*',
    'said.nvrm-*',
    'said.gsp-init-failed',
    'said.cuda-*',
    'said.pt-*',
    'said.tf-*',
    'said.ncc-*',
    'said.k8s-*',
    'framework/*',
    'host-os/kmod-missing-for-running-kernel',
    'driver/open-kmod-driver-bug',
  ],
  check(_, context) {
    const says = saidOf(context, 'nvrm-requires-open-module').filter((fact) => !fact.told);
    const flavour = ofHost(context, 'driver.flavour')[0];
    const gpus = openOnly(context);
    const gpu = gpus[0];
    const symptoms = saidOf(
      context,
      'smi-no-devices-found',
      'nvrm-rminitadapter-failed',
      'nvrm-probe-failed',
      'smi-couldnt-communicate',
      'cuda-no-device',
      'nvrm-no-gpu-found',
      'nvrm-unsupported-by-release',
      'pt-no-gpus-available',
      'nvml-driver-not-loaded',
    );
    const remedies = [
      {
        actor: 'node-admin' as const,
        do: 'install the open kernel module of the same release',
        command: 'apt-get install nvidia-open || dnf module switch-to nvidia-driver:open-dkms',
      },
      {
        actor: 'node-admin' as const,
        do: 'reload the module or reboot, and check its licence',
        command: 'modinfo -F license nvidia',
      },
    ];
    if (says.length > 0) {
      return {
        kind: 'fault',
        message: `${gpu === undefined ? 'this GPU' : gpu.name} requires the open kernel module, and the proprietary one was loaded`,
        seen: seenOf(...says, gpu?.fact, flavour),
        remedies,
        weight: 5,
      };
    }
    if (flavour?.value === 'open')
      return gpu === undefined
        ? { kind: 'silent' }
        : { kind: 'cleared', because: 'the open kernel module is installed', seen: seenOf(flavour, gpu.fact) };
    if (gpu === undefined || symptoms.length === 0 || works(context)) return { kind: 'silent' };
    if (flavour !== undefined) {
      return {
        kind: 'fault',
        certainty: gpu.row.confirmed ? (symptoms.every((fact) => fact.told) ? 'likely' : 'proved') : 'likely',
        message: `${gpu.name} is driven by the open kernel module only, and the proprietary one is installed`,
        seen: seenOf(gpu.fact, flavour, ...symptoms.filter((fact) => !fact.told)),
        remedies,
        weight: 4,
      };
    }
    return {
      kind: 'fault',
      certainty: 'possible',
      message: `${gpu.name} is driven by the open kernel module only; which one is installed is not known`,
      seen: seenOf(gpu.fact, ...symptoms),
      remedies,
      missing: [{ fact: 'driver.flavour', ask: 'modinfo -F license nvidia' }],
      weight: 3,
    };
  },
});
