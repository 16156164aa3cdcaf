import type { Fact } from '../../model/facts.ts';
import type { Rule, RuleContext } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, capture, missing, own, said, seen } from '../container-runtime/_container.ts';

/** The first three numbers of an IPv4 address. */
function net(address: string): string {
  return address.split('.').slice(0, 3).join('.');
}

const cures = [
  {
    actor: 'node-admin',
    do: 'list the addresses of the cards on both nodes',
    command: 'show_gids; ibv_devinfo -v | grep GID',
  },
  {
    actor: 'developer',
    do: 'unset NCCL_IB_GID_INDEX, or set it to the index of the RoCE v2 address on every node; name the cards that share a network with NCCL_IB_HCA',
  },
] as const;

export const roceGidIndexWrong: Rule = defineRule({
  id: 'network/roce-gid-index-wrong',
  summary: 'The GID index names no usable address of the fabric',
  needs: [],
  anyOf: ['said.verbs-modify-qp-failed', 'said.nccl-call-failed', 'said.nccl-ib-completion-error'],
  uses: ['said.nccl-qp-gid', 'env', 'rdma.gid', 'nccl.average-bandwidth'],
  citations: ['nccl-env'],
  explains: ['said.nccl-*', 'said.pt-*', 'network/nccl-peer-unreachable', 'application/*'],
  check(_facts, context) {
    const all = said(context, 'verbs-modify-qp-failed');
    const query = said(context, 'nccl-call-failed').find((fact) =>
      /^(?:wrap_)?ibv_query_gid/.test(fact.value.captures['call'] ?? fact.value.captures['call2'] ?? ''),
    );
    const retries = said(context, 'nccl-ib-completion-error').find((fact) =>
      /error 12\b|RETRY_EXC|status=12\b/.test(fact.seen[0]?.text ?? ''),
    );
    const failure = all[0] ?? query ?? retries;
    if (failure === undefined) return { kind: 'silent' };
    const entry = unusable(context) ?? taken(context, failure);
    if (entry !== undefined) {
      const { set, row, better } = entry;
      return {
        kind: 'fault',
        certainty: byPrint(failure, row, set.told && entry.healed === undefined ? set : undefined),
        message: `GID index ${row.value.index} ${row.value.empty ? 'is empty' : 'is a link-local address'}${better === undefined ? '' : `, the routed one of ${better.value.device} is index ${better.value.index} (${better.value.ipv4!})`}`,
        seen: seen(failure, set, row, better, entry.healed),
        remedies: cures,
        weight: 4,
      };
    }
    const lead = all[0];
    if (lead === undefined)
      return query === undefined
        ? { kind: 'silent' }
        : { kind: 'unknown', missing: [missing('the GID table of both nodes', 'show_gids; env | grep NCCL_IB')] };
    const local = capture(all, 'local');
    const remote = capture(all, 'remote');
    const index = capture(all, 'index');
    const errno = capture(all, 'errno');
    const what = (capture(all, 'what') ?? '').trim();
    const set = own(context, 'env').find((fact) => fact.value.name === 'NCCL_IB_GID_INDEX');
    const remedies = cures;
    if (local === '::') {
      return {
        kind: 'fault',
        certainty: byPrint(lead),
        message: `GID index ${index ?? '?'} is empty on this node`,
        seen: seen(lead, set),
        remedies,
        weight: 2,
      };
    }
    const own4 = /^::ffff:([\d.]{7,15})$/.exec(local ?? '')?.[1];
    const their4 = /^::ffff:([\d.]{7,15})$/.exec(remote ?? '')?.[1];
    if (own4 !== undefined && their4 !== undefined && net(own4) !== net(their4)) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: `the two cards are in different networks: ${own4} and ${their4}`,
        seen: seen(lead, set),
        remedies,
        missing: [missing('whether there is a route between the two networks', `ip route get ${their4}; show_gids`)],
        weight: 2,
      };
    }
    if (own4 !== undefined && their4 !== undefined) {
      return {
        kind: 'cleared',
        because: `both ends use addresses of one network (${own4}, ${their4})`,
        seen: seen(lead),
      };
    }
    const invalid = errno === '22' || /Invalid argument/i.test(what);
    const noRoute =
      /^(?:101|113)$/.test(errno ?? '') || /(?:Network is|host is) unreachable|No route to host/i.test(what);
    const linkLocal = local !== undefined && /^fe80:/i.test(local);
    return {
      kind: 'fault',
      certainty: noRoute || (invalid && (set !== undefined || linkLocal)) ? 'likely' : 'possible',
      message: `${noRoute ? 'the adapter has no route to the address of its peer' : 'an RDMA connection could not be set up'}${what === '' ? '' : ` (${what})`}${set === undefined ? '' : ` with NCCL_IB_GID_INDEX=${set.value.value}`}`,
      seen: seen(lead, set),
      remedies,
      missing: [missing('the GID table of both nodes', 'show_gids; env | grep NCCL_IB')],
    };
  },
});

/** A GID index that is set and whose entry no other subnet can reach, and the entry that one could. */
function unusable(context: RuleContext):
  | {
      readonly set: Fact;
      readonly row: Fact<'rdma.gid'>;
      readonly better: Fact<'rdma.gid'> | undefined;
      readonly healed: Fact<'nccl.average-bandwidth'> | undefined;
    }
  | undefined {
  const table = own(context, 'rdma.gid');
  const better = table.find((fact) => fact.value.ipv4 !== null && fact.value.version !== 'v1');
  for (const set of own(context, 'env')) {
    if (set.value.name !== 'NCCL_IB_GID_INDEX' || !/^\d{1,3}$/.test(set.value.value)) continue;
    const row = table.find((fact) => fact.value.index === Number(set.value.value));
    if (row === undefined) continue;
    // A card on InfiniBand has link-local addresses only, and works with them.
    if (!row.value.empty && (!/^fe80:/.test(row.value.gid) || better === undefined)) continue;
    const healed = own(context, 'nccl.average-bandwidth').find((fact) => fact.order > set.order);
    return { set, row, better, healed };
  }
  return undefined;
}

/** The index that NCCL took by itself, whose entry is link-local while another one of the card is routed. */
function taken(context: RuleContext, failure: Fact): ReturnType<typeof unusable> {
  const table = own(context, 'rdma.gid');
  const better = table.find((fact) => fact.value.ipv4 !== null && fact.value.version !== 'v1');
  if (better === undefined) return undefined;
  for (const set of said(context, 'nccl-qp-gid')) {
    if (set.order > failure.order) continue;
    const row = table.find((fact) => fact.value.index === Number(set.value.captures['gid'] ?? -1));
    if (row === undefined || row.value.empty || !/^fe80:/.test(row.value.gid)) continue;
    // A later run over the routed entry that is good decides it.
    const other = own(context, 'env').find(
      (fact) =>
        fact.value.name === 'NCCL_IB_GID_INDEX' &&
        Number(fact.value.value) === better.value.index &&
        fact.order > failure.order,
    );
    const healed =
      other === undefined ? undefined : own(context, 'nccl.average-bandwidth').find((fact) => fact.order > other.order);
    return { set, row, better, healed };
  }
  return undefined;
}
