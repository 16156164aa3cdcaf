import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { nvlinkWords } from '../../knowledge/nvlink-decode.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';
import { afterwards, gpuOf, loggedXids } from './_xids.ts';
import { beforeStart, spreadOf } from './_spread.ts';

/** Xids of NVLink (NVIDIA's Xid catalogue). */
const linkXids: readonly number[] = [74, 136, 144, 145, 146, 147, 148, 149, 150, 155];

export const nvlinkFault: Rule = defineRule({
  id: 'hardware/nvlink-fault',
  summary: 'An NVLink of a GPU or switch is faulty',
  needs: [],
  anyOf: [
    'gpu.xid',
    'gpu.sxid',
    'said.dcgm-diag-nvlink',
    'said.fm-nvswitch-error-log',
    'said.fm-topology-mismatch',
    'gpu.nvlink-errors',
  ],
  citations: ['xid-catalogue', 'fabric-manager-guide'],
  explains: afterwards.concat([
    'said.nvlink-kernel-error',
    'said.nvswitch-sxid',
    'said.fm-*',
    'said.dcgm-*',
    'fabric/*',
    'hardware/gpu-needs-reset',
    'hardware/nvlink-inactive',
  ]),
  check(_facts, context) {
    if (context.first('program.injected') !== undefined) return { kind: 'silent' };
    const links = loggedXids(context, linkXids);
    // Newer lines name the severity; an event that is not fatal once is only a note.
    const mild = (text: string): boolean => /\bnon-?fatal\b/i.test(text);
    const grave = links.filter((fact) => !mild(fact.value.message));
    const switches = own(context, 'gpu.sxid');
    const fatal = switches.filter((fact) => /^fatal/i.test(fact.value.message));
    const manager = said(context, 'fm-nvswitch-error-log').find((fact) =>
      /^fatal/i.test(fact.value.captures['sev'] ?? ''),
    );
    const missingSwitch = said(context, 'fm-topology-mismatch')[0];
    const test = said(context, 'dcgm-diag-nvlink')[0];
    const counters = own(context, 'gpu.nvlink-errors').filter((fact) => fact.value.count > 0);
    const program = loggedXids(context, [13, 31]).find(
      (fact) => fact.order < (links[0]?.order ?? switches[0]?.order ?? 0),
    );
    const lead = grave[0] ?? fatal[0] ?? manager ?? missingSwitch;
    const link = (text: string): string | null => /\blink (?:\(?)(\d{1,3})/i.exec(text)?.[1] ?? null;
    const remedies = [
      { actor: 'cluster-admin', do: 'drain the node; a fatal fault stops all GPUs that share the switch' },
      {
        actor: 'node-admin',
        do: 'reset all GPUs and switches together, or reboot',
        command: 'nvidia-smi nvlink -e; nvidia-smi nvlink -s; nvidia-smi --gpu-reset',
      },
      { actor: 'vendor', do: 'replace GPU, tray or cable when the same link fails again' },
    ] as const;
    if (lead !== undefined) {
      const xid = grave[0];
      const sxid = fatal[0];
      const number = link(xid?.value.message ?? sxid?.value.message ?? '');
      const decoded = xid === undefined ? null : nvlinkWords(context.knowledge, xid.value.xid, xid.value.message);
      const start =
        xid !== undefined
          ? beforeStart(context, linkXids)
          : sxid !== undefined
            ? beforeStart(context, [...new Set(fatal.map((fact) => fact.value.sxid))], 'sxid')
            : undefined;
      const spread =
        xid !== undefined
          ? spreadOf(context, linkXids)
          : sxid !== undefined
            ? spreadOf(context, [...new Set(fatal.map((fact) => fact.value.sxid))], 'sxid')
            : null;
      const message =
        xid !== undefined
          ? `${gpuOf(xid)} reports a fault of NVLink${number === null ? '' : ` ${number}`} (Xid ${xid.value.xid}${sxid === undefined ? '' : `, with SXid ${sxid.value.sxid} of a switch`})${decoded === null ? '' : `: ${decoded}`}`
          : sxid !== undefined
            ? `an NVSwitch reports a fatal fault${number === null ? '' : ` of link ${number}`} (SXid ${sxid.value.sxid})`
            : manager !== undefined
              ? `Fabric Manager saw a fatal fault of an NVSwitch (SXid ${manager.value.captures['sxid'] ?? '?'})`
              : 'an NVSwitch is missing';
      return {
        kind: 'fault',
        certainty:
          start !== undefined && manager === undefined && missingSwitch === undefined
            ? 'possible'
            : program !== undefined && fatal.length === 0
              ? 'likely'
              : byPrint(lead),
        message: `${message}${start === undefined ? '' : ', before the node was last started and not since'}${spread?.text ?? ''}`,
        seen: seen(...grave.slice(0, 3), ...fatal.slice(0, 3), manager, missingSwitch, start),
        remedies,
        ...(program !== undefined && fatal.length === 0
          ? { missing: [missing('whether the links failed before the program did', 'dmesg -T | grep -E "Xid|SXid"')] }
          : start !== undefined
            ? { missing: [missing('gpu.nvlink', 'nvidia-smi nvlink -s; nvidia-smi nvlink -e')] }
            : {}),
        weight: start === undefined ? 4 : -3,
      };
    }
    if (test !== undefined) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: 'DCGM finds an NVLink that is down',
        seen: seen(test),
        remedies,
        missing: [missing('gpu.nvlink', 'nvidia-smi nvlink -s; systemctl status nvidia-fabricmanager')],
        weight: 2,
      };
    }
    const weak = links[0] ?? switches[0] ?? counters[0];
    if (weak === undefined) return { kind: 'silent' };
    const many = counters.find((fact) => /replay|recovery/i.test(fact.value.counter) && fact.value.count >= 10);
    if (links.length + switches.length >= 3 || many !== undefined) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: `an NVLink has errors that come again${many === undefined ? '' : ` (link ${many.value.link} of GPU ${many.value.gpu}: ${many.value.count} ${many.value.counter})`}`,
        seen: seen(weak, many),
        remedies,
        missing: [missing('whether they grow', 'nvidia-smi nvlink -e twice')],
        weight: 1,
      };
    }
    return counters[0] !== undefined && links.length === 0 && switches.length === 0
      ? { kind: 'unknown', missing: [missing('whether the counters grow', 'nvidia-smi nvlink -e twice')] }
      : { kind: 'cleared', because: 'the event of the link was not fatal', seen: seen(weak) };
  },
});
