import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, said } from '../container-runtime/_container.ts';
import { afterwards, gpuOf, loggedXids, stoppedByHeat } from './_xids.ts';
import { beforeStart, spreadOf } from './_spread.ts';

export const gpuFellOffBusPower: Rule = defineRule({
  id: 'hardware/gpu-fell-off-bus-power',
  summary: 'The GPU no longer answers on the PCIe bus: power, seating, riser or the GPU itself',
  needs: [],
  anyOf: [
    'said.nvml-insufficient-power',
    'gpu.xid',
    'said.nvrm-fallen-off-bus',
    'said.nvml-gpu-is-lost',
    'said.smi-unknown-handle',
  ],
  citations: ['xid-catalogue'],
  explains: [...afterwards, 'driver/*', 'hardware/uncorrectable-ecc'],
  check(facts, context) {
    if (context.first('program.injected') !== undefined) return { kind: 'silent' };
    const fallen = facts['said.nvrm-fallen-off-bus'];
    const xids = loggedXids(context, [79]);
    const remedies = [
      { actor: 'cluster-admin', do: 'drain the node; nothing on this GPU will run again before a power cycle' },
      {
        actor: 'node-admin',
        do: 'power the node off and on, reseat the GPU and its power leads, look for PCIe errors',
        command: 'dmesg -T | grep -E "AER|pcieport"; lspci -vv | grep -E "LnkSta:"',
      },
      { actor: 'vendor', do: 'replace the GPU or the power supply if it comes back' },
    ] as const;
    const cables = said(context, 'nvml-insufficient-power')[0];
    if (cables !== undefined && xids.length === 0)
      return {
        kind: 'fault',
        certainty: byPrint(cables),
        message: 'a GPU gets no power over its own cables, so the driver does not start it',
        seen: cables.seen.slice(0, 2),
        remedies: [
          {
            actor: 'node-admin',
            do: 'power the machine off and plug in every power lead of the card, each from the power supply and of the right kind',
            command: 'dmesg | grep -iE "power cables|RmInitAdapter"',
          },
          { actor: 'vendor', do: 'replace the lead, the adapter or the card when it says so again' },
        ],
        explains: ['said.nvml-insufficient-power', 'said.smi-no-devices-found', 'container-runtime/*'],
        weight: 5,
      };
    const lead = xids[0];
    // A GPU that was too hot and switched itself off is off the bus for that.
    const heat = said(context, 'overheat-shutdown').find((fact) => stoppedByHeat(fact));
    if (lead !== undefined && heat !== undefined)
      return { kind: 'cleared', because: 'it was switched off for heat', seen: heat.seen.slice(0, 1) };
    if (lead !== undefined || fallen !== undefined) {
      const spread = spreadOf(context, [79]);
      const start = beforeStart(context, [79]);
      return {
        kind: 'fault',
        certainty: start === undefined ? 'proved' : 'possible',
        message:
          lead === undefined
            ? 'a GPU has fallen off the bus'
            : `${gpuOf(lead)} ${start === undefined ? 'has fallen' : 'fell'} off the bus (Xid 79)${start === undefined ? '' : ' before the node was last started, and not since'}${spread?.text ?? ''}`,
        seen: [
          ...xids.flatMap((fact) => fact.seen.slice(0, 1)).slice(0, 4),
          ...(fallen?.seen.slice(0, 2) ?? []),
          ...(start?.seen.slice(-1) ?? []),
        ],
        remedies,
        ...(start === undefined
          ? {}
          : { missing: [{ fact: 'gpu.count', ask: 'nvidia-smi -L; journalctl -k -b | grep -E "Xid|AER"' }] }),
        weight: start === undefined ? 5 : -3,
      };
    }
    const lost = facts['said.nvml-gpu-is-lost'] ?? facts['said.smi-unknown-handle'];
    if (lost !== undefined) {
      return {
        kind: 'fault',
        certainty: facts['said.nvml-gpu-is-lost'] === undefined ? 'possible' : 'likely',
        message: 'NVML has lost a GPU that it saw before',
        seen: lost.seen,
        remedies,
        missing: [{ fact: 'gpu.xid', ask: 'dmesg -T | grep -E "NVRM: Xid|fallen off"' }],
        weight: 3,
      };
    }
    return {
      kind: 'cleared',
      because: 'no Xid 79: every GPU stayed on the bus',
      seen: context.all('gpu.xid').flatMap((fact) => fact.seen.slice(0, 1)),
    };
  },
});
