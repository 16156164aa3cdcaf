import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';

/** Host at the start of a line of NCCL: `node-a:52011:52144 [0] NCCL INFO …`. */
function hostOf(text: string): string | null {
  return /(?:^|\s)([\w.-]{1,64}):\d{1,8}:\d{1,8} \[\d{1,3}\] NCCL /.exec(text)?.[1] ?? null;
}

export const ncclRailsMixed: Rule = defineRule({
  id: 'network/nccl-rails-mixed',
  summary: 'Ranks use different sets of network cards',
  needs: [],
  anyOf: ['said.nccl-net-device-count-mismatch', 'nccl.interfaces'],
  uses: ['env'],
  citations: ['nccl-env'],
  check(_facts, context) {
    const mismatch = said(context, 'nccl-net-device-count-mismatch')[0];
    const hca = own(context, 'env').find((fact) => fact.value.name === 'NCCL_IB_HCA');
    const remedies = [
      {
        actor: 'node-admin',
        do: 'compare cards and their state on the nodes',
        command: 'ibstat -l; ibstat | grep -E "CA \'|State|Rate"',
      },
      {
        actor: 'cluster-admin',
        do: 'name the same cards on all nodes (NCCL_IB_HCA), or drain the node that lacks one',
      },
    ] as const;
    const lists = own(context, 'nccl.interfaces').filter(
      (fact) =>
        fact.value.length > 0 && fact.value.every((name) => /^(?:mlx\d|roce|ibp|bnxt|irdma|efa|rdma)/.test(name)),
    );
    const byHost = new Map<string, (typeof lists)[number]>();
    for (const fact of lists) {
      // Two hosts that print the same list are one fact with two lines.
      const hosts = fact.seen.flatMap((each) => hostOf(each.text) ?? []);
      for (const host of hosts.length > 0 ? hosts : fact.origin.host === undefined ? [] : [fact.origin.host])
        if (!byHost.has(host)) byHost.set(host, fact);
    }
    const hosts = [...byHost.entries()].sort((a, b) => a[1].value.length - b[1].value.length);
    const least = hosts[0];
    const most = hosts.at(-1);
    if (least !== undefined && most !== undefined && least[1].value.length < most[1].value.length) {
      const lacking = most[1].value.filter((name) => !least[1].value.includes(name));
      return {
        kind: 'fault',
        certainty: byPrint(least[1], most[1]),
        message: `${least[0]} uses ${least[1].value.length} network cards and ${most[0]} uses ${most[1].value.length}: ${lacking.slice(0, 3).join(', ')} ${lacking.length === 1 ? 'is' : 'are'} missing on ${least[0]}`,
        seen: seen(mismatch, least[1], most[1]),
        remedies,
        weight: 1,
      };
    }
    if (mismatch !== undefined) {
      const { min, max } = mismatch.value.captures;
      return {
        kind: 'fault',
        certainty: byPrint(mismatch),
        message: `some ranks have ${min ?? 'fewer'} network devices and others ${max ?? 'more'}`,
        seen: seen(mismatch, hca),
        remedies,
        weight: 1,
      };
    }
    if (hosts.length > 1)
      return {
        kind: 'cleared',
        because: 'all nodes use the same number of network cards',
        seen: seen(least?.[1], most?.[1]),
      };
    return hosts.length === 0
      ? { kind: 'silent' }
      : {
          kind: 'unknown',
          missing: [
            missing('the network cards that the other nodes use', 'NCCL_DEBUG=INFO <cmd> 2>&1 | grep "NET/IB : Using"'),
          ],
        };
  },
});
