import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, capture, missing, own, said, seen } from '../container-runtime/_container.ts';

export const ncclTopologyWrong: Rule = defineRule({
  id: 'nccl/nccl-topology-wrong',
  summary: 'NCCL does not get the topology file of this machine type',
  needs: [],
  anyOf: ['said.nccl-topo-file'],
  uses: ['file.exists'],
  citations: ['nccl-env'],
  check(_facts, context) {
    const lead = said(context, 'nccl-topo-file')[0];
    if (lead === undefined) return { kind: 'silent' };
    const path = capture([lead], 'path');
    const there = own(context, 'file.exists').find((fact) => fact.value === path);
    if (there !== undefined) return { kind: 'cleared', because: `${path} is there`, seen: seen(there) };
    if (path === undefined) {
      return { kind: 'unknown', missing: [missing('the file that NCCL_TOPO_FILE names', 'ls -l "$NCCL_TOPO_FILE"')] };
    }
    return {
      kind: 'fault',
      message: `NCCL cannot open the topology file ${path}`,
      certainty: byPrint(lead),
      seen: seen(lead),
      remedies: [
        {
          actor: 'cluster-admin',
          do: 'mount the topology file of this machine type into the container, at the path of NCCL_TOPO_FILE',
          command: 'ls -l "$NCCL_TOPO_FILE"',
        },
        { actor: 'developer', do: 'unset NCCL_TOPO_FILE where the machine needs none' },
      ],
    };
  },
});
