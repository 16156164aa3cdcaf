import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { installedDriver, gpusOf, ofHost, own, saidOf, seenOf } from './_machine.ts';

/** From 545.23.06 on the open module drives GeForce and workstation GPUs without an opt-in. */
const lastOptInBranch = 535;

export const openKmodGpuNotEnabled: Rule = defineRule({
  id: 'driver/open-kmod-gpu-not-enabled',
  summary: 'An early open kernel module needs an opt-in for this GPU',
  needs: [],
  anyOf: ['said.open-module-opt-in', 'driver.flavour'],
  uses: [
    'gpu.name',
    'driver.module',
    'driver.version',
    'said.smi-no-devices-found',
    'said.nvrm-rminitadapter-failed',
    'driver.parameter',
  ],
  citations: ['open-kernel-modules', 'driver-kernel-modules'],
  explains: [
    'said.smi-*',
    'said.nvml-*',
    'said.nvrm-*',
    'said.gsp-init-failed',
    'said.cuda-*',
    'said.pt-*',
    'said.tf-*',
    'said.ncc-*',
    'framework/*',
    'driver/open-kmod-driver-bug',
    'host-os/kmod-missing-for-running-kernel',
  ],
  check(_, context) {
    const says = saidOf(context, 'open-module-opt-in').filter((fact) => !fact.told);
    const flavour = ofHost(context, 'driver.flavour')[0];
    const installed = installedDriver(context);
    const gpu = gpusOf(context).find(
      (each) => each.gpu.class === 'geforce' || each.gpu.class === 'titan' || each.gpu.class === 'workstation',
    );
    const symptoms = saidOf(context, 'smi-no-devices-found', 'nvrm-rminitadapter-failed');
    const set = own(context, 'driver.parameter').find(
      (fact) => fact.value.name === 'OpenRmEnableUnsupportedGpus' && fact.value.value === '1',
    );
    const remedies = [
      {
        actor: 'node-admin' as const,
        do: 'upgrade to a driver from 545 on, where the opt-in is gone; or use the proprietary module of this release',
      },
      {
        actor: 'node-admin' as const,
        do: 'or opt in and reload the module',
        command:
          "echo 'options nvidia NVreg_OpenRmEnableUnsupportedGpus=1' > /etc/modprobe.d/nvidia-open.conf && update-initramfs -u && reboot",
      },
    ];
    if (says.length > 0) {
      return {
        kind: 'fault',
        message: 'the open kernel module of this release drives data-center GPUs only, unless it is told otherwise',
        seen: seenOf(...says, gpu?.fact, flavour),
        remedies,
        weight: 5,
      };
    }
    if (flavour?.value !== 'open' || installed === null) return { kind: 'silent' };
    const branch = installed.driver.version.branch;
    if (branch > lastOptInBranch)
      return {
        kind: 'cleared',
        because: `driver ${installed.text} needs no opt-in`,
        seen: seenOf(installed.fact, flavour),
      };
    if (set !== undefined) return { kind: 'cleared', because: 'the opt-in is set', seen: set.seen };
    if (symptoms.length === 0 || gpu === undefined) return { kind: 'silent' };
    return {
      kind: 'fault',
      certainty: saidOf(context, 'gsp-init-failed').length > 0 ? 'possible' : 'likely',
      message: `the open kernel module ${installed.text} drives ${gpu.gpu.printed} only with an opt-in`,
      seen: seenOf(flavour, installed.fact, gpu.fact, ...symptoms),
      remedies,
      missing: [
        {
          fact: 'said.open-module-opt-in',
          ask: 'dmesg | grep -i -A3 "Open nvidia.ko"; grep OpenRmEnable /proc/driver/nvidia/params',
        },
      ],
      weight: 1,
    };
  },
});
