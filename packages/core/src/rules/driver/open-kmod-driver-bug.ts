import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { ofHost, own, saidOf, seenOf } from './_machine.ts';

export const openKmodDriverBug: Rule = defineRule({
  id: 'driver/open-kmod-driver-bug',
  summary: 'A fault of the open kernel module in one driver release',
  needs: [],
  anyOf: [
    'said.gsp-init-failed',
    'said.nvrm-rminitadapter-failed',
    'said.proprietary-module-works',
    'said.nvrm-gsp-firmware-missing',
    'said.nvrm-assertion',
  ],
  uses: ['driver.flavour', 'driver.module', 'driver.version', 'gpu.xid', 'said.smi-no-devices-found'],
  citations: ['open-kernel-modules'],
  explains: [
    'said.nvrm-rminitadapter-failed',
    'said.nvrm-probe-failed',
    'said.nvrm-gsp-firmware-missing',
    'said.smi-*',
    'said.nvml-*',
    'said.cuda-*',
    'said.pt-*',
    'framework/*',
  ],
  check(_, context) {
    const failed = saidOf(
      context,
      'gsp-init-failed',
      'nvrm-rminitadapter-failed',
      'nvrm-gsp-firmware-missing',
      'nvrm-assertion',
    ).filter((fact) => !fact.told);
    const cured = context.all('said.proprietary-module-works');
    const flavour = ofHost(context, 'driver.flavour')[0];
    const events = own(context, 'gpu.xid');
    const symptoms = saidOf(context, 'smi-no-devices-found', 'nvrm-probe-failed');
    if (
      saidOf(
        context,
        'open-module-opt-in',
        'nvrm-open-module-unsupported-gpu',
        'nvrm-requires-open-module',
        'nvrm-fallen-off-bus',
      ).length > 0
    )
      return { kind: 'silent' };
    if (failed.length === 0 && symptoms.length === 0 && events.length === 0) return { kind: 'silent' };
    if (saidOf(context, 'nvrm-gsp-firmware-missing').some((fact) => fact.value.captures['fw'] !== undefined))
      return { kind: 'silent' };
    if (flavour?.value === 'proprietary' && cured.length === 0)
      return { kind: 'cleared', because: 'the proprietary kernel module is loaded', seen: flavour.seen };
    const remedies = [
      {
        actor: 'node-admin' as const,
        do: 'use the proprietary module of the same release where the GPU allows it, or another release',
        command: 'modinfo -F license nvidia; apt-get install cuda-drivers',
      },
      { actor: 'vendor' as const, do: 'report it with the bug report archive', command: 'nvidia-bug-report.sh' },
    ];
    const inits = saidOf(context, 'gsp-init-failed');
    const lines = [
      ...failed,
      ...(failed.length === 0 ? symptoms : []),
      ...(failed.length === 0 ? events.slice(0, 2) : []),
    ];
    const what = inits.find((fact) => fact.value.captures['what'] !== undefined)?.value.captures['what'];
    if (cured.length > 0) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: `the open kernel module fails where the proprietary one of the same release works${what === undefined ? '' : `: ${what.slice(0, 120)}`}`,
        seen: seenOf(...lines, flavour, ...cured),
        remedies,
        explains: ['driver/gsp-rpc-timeout-driver-bug', 'said.xid-*', 'hardware/*'],
        weight: 4,
      };
    }
    if (failed.length === 0 || events.some((fact) => [79, 119, 120].includes(fact.value.xid)))
      return { kind: 'silent' };
    if (flavour?.value === 'open' && inits.length > 0) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: `the open kernel module cannot start the firmware of the GPU${what === undefined ? '' : `: ${what.slice(0, 120)}`}`,
        seen: seenOf(...lines, flavour),
        remedies,
        missing: [
          {
            fact: 'the proprietary module of the same release',
            ask: 'modprobe -r nvidia; apt-get install nvidia-dkms-VERSION; modprobe nvidia; dmesg | grep -i nvrm | tail',
          },
        ],
        weight: 1,
      };
    }
    return {
      kind: 'fault',
      certainty: 'possible',
      message: `the firmware of the GPU did not start${what === undefined ? '' : `: ${what.slice(0, 120)}`}; a fault of the open module is one cause`,
      seen: seenOf(...lines),
      remedies,
      missing: [
        { fact: 'driver.flavour', ask: 'modinfo -F license -F version nvidia; dmesg | grep -iE "nvrm|gsp" | head -20' },
      ],
      weight: inits.length > 0 ? 3 : 1,
    };
  },
});
