import type { Fact } from '../../model/facts.ts';
import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';

export const gdrOff: Rule = defineRule({
  id: 'network/gdr-off',
  summary: 'Network cards do not reach GPU memory directly: every byte goes through the host',
  needs: [],
  anyOf: ['nccl.transport', 'said.nccl-gdr-distance', 'nccl.gdr'],
  uses: ['env'],
  citations: ['gpudirect-rdma', 'nccl-env'],
  check(_facts, context) {
    const transports = own(context, 'nccl.transport');
    const direct = transports.find((fact) => /NET\/.{0,40}GDRDMA/.test(fact.value));
    const plain = transports.find(
      (fact) => /^NET\/(?:IB|AWS Libfabric|Libfabric|OFI)\b/.test(fact.value) && !fact.value.includes('GDRDMA'),
    );
    const far = said(context, 'nccl-gdr-distance')[0];
    const off = own(context, 'nccl.gdr').find((fact) => !fact.value.enabled);
    const level = own(context, 'env').find(
      (fact) =>
        (fact.value.name === 'NCCL_NET_GDR_LEVEL' && /^(?:0|LOC)$/i.test(fact.value.value)) ||
        (fact.value.name === 'NCCL_NET_DISABLE_GDR' && fact.value.value === '1') ||
        (fact.value.name === 'NCCL_IB_CUDA_SUPPORT' && fact.value.value === '0'),
    );
    const remedies = [
      {
        actor: 'node-admin',
        do: 'see how far GPU and card are apart, and that a peer-memory way is open',
        command: 'nvidia-smi topo -m; lsmod | grep peermem; dmesg | grep -i acs',
      },
      {
        actor: 'cluster-admin',
        do: 'give each rank the card that is under the same PCIe switch as its GPU (NCCL_IB_HCA, topology file of the machine type)',
      },
      { actor: 'developer', do: 'take back NCCL_NET_GDR_LEVEL and NCCL_NET_DISABLE_GDR where someone set them' },
    ] as const;
    if (direct !== undefined && plain === undefined) {
      return { kind: 'cleared', because: 'NCCL uses GPUDirect RDMA', seen: seen(direct) };
    }
    if (far !== undefined) {
      const { gpu, hca } = far.value.captures;
      const from = gpu === undefined ? 'a GPU' : `GPU ${gpu}`;
      const to = hca === undefined ? 'its network card' : `network card ${hca}`;
      return {
        kind: 'fault',
        certainty: plain === undefined ? 'likely' : byPrint(far, plain),
        message: `GPUDirect RDMA is off between ${from} and ${to}: they are too far apart`,
        seen: seen(far, plain),
        remedies,
        ...(plain === undefined
          ? { missing: [missing('nccl.transport', 'NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,GRAPH,NET')] }
          : {}),
      };
    }
    if (plain === undefined) return { kind: 'silent' };
    if (direct !== undefined && level === undefined && otherEnd(direct, plain))
      return {
        kind: 'fault',
        certainty: 'likely',
        message: `one end sends over ${plain.value} through host memory, the other over ${direct.value}: GPUDirect RDMA is off on one node`,
        seen: seen(plain, direct, off),
        remedies,
        missing: [missing('modules.loaded', 'lsmod | grep -E "peermem|nv_peer_mem"   # on every node')],
      };
    if (level !== undefined) {
      return {
        kind: 'fault',
        certainty: byPrint(level, plain),
        message: `GPUDirect RDMA is switched off by ${level.value.name}=${level.value.value}`,
        seen: seen(level, plain),
        remedies,
      };
    }
    if (off !== undefined) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: `NCCL sends over ${plain.value} without GPUDirect RDMA, which is disabled for ${off.value.adapter}`,
        seen: seen(off, plain),
        remedies,
        missing: [missing('modules.loaded', 'lsmod | grep -E "peermem|nv_peer_mem"; nvidia-smi topo -m')],
        weight: -1,
      };
    }
    return {
      kind: 'fault',
      certainty: 'possible',
      message: `NCCL sends over ${plain.value} and names no GPUDirect RDMA`,
      seen: seen(plain),
      remedies,
      missing: [missing('nccl.gdr', 'NCCL_DEBUG=INFO <cmd> 2>&1 | grep -E "GPU Direct|GDRDMA"')],
      weight: -2,
    };
  },
});

/** The same adapter of two nodes, once with and once without GPUDirect RDMA. */
function otherEnd(direct: Fact, plain: Fact): boolean {
  const [one, other] = [direct, plain].map((fact) =>
    /^\W{0,4}(?<host>[\w.-]{1,80}):\d.{0,200}\bvia NET\/\w{2,20}\/(?<adapter>\d{1,3})/.exec(fact.seen[0]?.text ?? ''),
  );
  if (one?.groups === undefined || other?.groups === undefined) return false;
  return one.groups['host'] !== other.groups['host'] && one.groups['adapter'] === other.groups['adapter'];
}
