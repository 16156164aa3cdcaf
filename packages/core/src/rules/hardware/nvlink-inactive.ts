import type { Fact } from '../../model/facts.ts';
import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, seen } from '../container-runtime/_container.ts';

export const nvlinkInactive: Rule = defineRule({
  id: 'hardware/nvlink-inactive',
  summary: 'An NVLink that should be up is inactive',
  needs: [],
  anyOf: ['gpu.nvlink', 'gpu.nvlink-state'],
  citations: ['nvidia-smi-manual'],
  explains: ['said.nccl-p2p-disabled-nvlink', 'said.dcgm-diag-nvlink'],
  check(_facts, context) {
    const byGpu = new Map<number, { up: number; down: number; first: Fact<'gpu.nvlink'> | null }>();
    for (const fact of own(context, 'gpu.nvlink')) {
      const entry = byGpu.get(fact.value.gpu) ?? { up: 0, down: 0, first: null };
      if (fact.value.gigabytesPerSecond === null) {
        entry.down++;
        entry.first ??= fact;
      } else entry.up++;
      byGpu.set(fact.value.gpu, entry);
    }
    const links = own(context, 'gpu.nvlink-state');
    const states = links.find((fact) => fact.value.state === 'down');
    const most = Math.max(0, ...[...byGpu.values()].map((entry) => entry.up));
    const short = [...byGpu.entries()].find(([, entry]) => entry.down > 0 && entry.up < most);
    const remedies = [
      {
        actor: 'node-admin',
        do: 'see why the link did not train',
        command: 'nvidia-smi nvlink -e; dmesg -T | grep -iE "nvlink|SXid|Xid"; systemctl status nvidia-fabricmanager',
      },
      { actor: 'node-admin', do: 'reset all GPUs together; then reseat tray, bridge or cable' },
    ] as const;
    if (short !== undefined && short[1].first !== null) {
      return {
        kind: 'fault',
        certainty: byPrint(short[1].first),
        message: `link ${short[1].first.value.link} of GPU ${short[0]} is inactive: it has ${short[1].up} links, other GPUs have ${most}`,
        seen: seen(short[1].first),
        remedies,
        weight: 2,
      };
    }
    // Every link of every GPU, and no switch that would need them: boards without a bridge look the same.
    const bare =
      states !== undefined &&
      links.length > 1 &&
      links.every((fact) => fact.value.state === 'down' && /^gpu/i.test(fact.value.device)) &&
      !own(context, 'fabric.nvswitch').some((fact) => fact.value) &&
      !own(context, 'gpu.name').some((fact) => /\b(?:SXM|HGX|GB[23]00)/.test(fact.value));
    if (states !== undefined && !bare) {
      return {
        kind: 'fault',
        certainty: byPrint(states),
        message: `link ${states.value.link} of ${states.value.device} is down`,
        seen: seen(states),
        remedies,
        weight: 2,
      };
    }
    const half = [...byGpu.entries()].find(([, entry]) => entry.down > 0 && entry.up > 0);
    if (half !== undefined && byGpu.size === 1 && half[1].first !== null) {
      return {
        kind: 'fault',
        // Boards differ in how many of their links lead anywhere: a link that is not used looks the same.
        certainty: 'possible',
        message: `link ${half[1].first.value.link} of GPU ${half[0]} is inactive, its other links are up`,
        seen: seen(half[1].first),
        remedies,
        missing: [missing('the links of the other GPUs', 'nvidia-smi nvlink -s')],
        weight: 1,
      };
    }
    const none = [...byGpu.values()].find((entry) => entry.down > 0);
    if (none !== undefined || bare)
      return {
        kind: 'unknown',
        missing: [
          missing(
            'whether this machine has NVLink bridges or switches',
            'nvidia-smi topo -m; lspci | grep -i nvswitch; systemctl status nvidia-fabricmanager',
          ),
        ],
      };
    const up = own(context, 'gpu.nvlink')[0];
    return up === undefined ? { kind: 'silent' } : { kind: 'cleared', because: 'all NVLinks are up', seen: seen(up) };
  },
});
