import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, capture, missing, own, said, seen } from '../container-runtime/_container.ts';

/** The first three numbers of an IPv4 address. */
function net(address: string): string {
  return address.split('.').slice(0, 3).join('.');
}

export const roceGidIndexWrong: Rule = defineRule({
  id: 'network/roce-gid-index-wrong',
  summary: 'The GID index names no usable address of the fabric',
  needs: [],
  anyOf: ['said.verbs-modify-qp-failed'],
  uses: ['env'],
  citations: ['nccl-env'],
  explains: ['said.nccl-*', 'said.pt-*', 'network/nccl-peer-unreachable', 'application/*'],
  check(_facts, context) {
    const all = said(context, 'verbs-modify-qp-failed');
    const lead = all[0];
    if (lead === undefined) return { kind: 'silent' };
    const local = capture(all, 'local');
    const remote = capture(all, 'remote');
    const index = capture(all, 'index');
    const errno = capture(all, 'errno');
    const what = (capture(all, 'what') ?? '').trim();
    const set = own(context, 'env').find((fact) => fact.value.name === 'NCCL_IB_GID_INDEX');
    const remedies = [
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
    const linkLocal = local !== undefined && /^fe80:/i.test(local);
    return {
      kind: 'fault',
      certainty: invalid && (set !== undefined || linkLocal) ? 'likely' : 'possible',
      message: `an RDMA connection could not be set up${what === '' ? '' : ` (${what})`}${set === undefined ? '' : ` with NCCL_IB_GID_INDEX=${set.value.value}`}`,
      seen: seen(lead, set),
      remedies,
      missing: [missing('the GID table of both nodes', 'show_gids; env | grep NCCL_IB')],
    };
  },
});
