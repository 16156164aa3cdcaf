import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';

export const peermemModuleNotLoaded: Rule = defineRule({
  id: 'driver/peermem-module-not-loaded',
  summary: 'nvidia-peermem is not loaded, so network cards do not reach GPU memory',
  needs: [],
  anyOf: [
    'nccl.gdr',
    'said.nccl-gdr-disabled',
    'said.nvidia-peermem-not-loaded',
    'said.nccl-gin-peermem',
    'said.rdma-mr-failed',
  ],
  uses: ['modules.loaded', 'modules.absent'],
  citations: ['nccl-troubleshooting', 'driver-kernel-modules'],
  check(facts, context) {
    const refused = context
      .all('said.nccl-gdr-disabled')
      .find((fact) => /disabled|not available/i.test(fact.value.captures['state'] ?? fact.seen[0]?.text ?? ''));
    // Where ranks send over these adapters without it, the job runs and is slow: its success is no answer.
    const slow = context.all('nccl.rank-path').some(({ value }) => value.via.includes('NET/IB') && value.gdr === 0);
    const [state] = context.all('nccl.gdr').filter((fact) => !fact.value.enabled);
    const disabled = slow ? (refused ?? state) : (state ?? refused);
    const region = facts['said.rdma-mr-failed'];
    const said = facts['said.nvidia-peermem-not-loaded'] ?? facts['said.nccl-gin-peermem'];
    const enabled = context.all('nccl.gdr').find((fact) => fact.value.enabled);
    const isPeermem = (name: string): boolean => /peermem|nv_peer_mem/.test(name);
    const loaded = context.all('modules.loaded').find((fact) => fact.value.some(isPeermem));
    const absent = context.all('modules.absent').find((fact) => fact.value.some(isPeermem));
    const remedies = [
      {
        actor: 'node-admin',
        do: 'load the module now and at boot',
        command: 'modprobe nvidia-peermem && echo nvidia-peermem > /etc/modules-load.d/nvidia-peermem.conf',
      },
      {
        actor: 'node-admin',
        do: 'if it does not load, install the RDMA stack before the driver, or use DMA-BUF with the open module (CUDA 11.7, kernel 5.12 or newer)',
      },
    ] as const;
    if (loaded !== undefined && said === undefined) {
      return { kind: 'cleared', because: 'a peer-memory module is loaded', seen: loaded.seen.slice(0, 1) };
    }
    if (region !== undefined && disabled === undefined && said === undefined && loaded === undefined) {
      return {
        kind: 'fault',
        certainty: absent === undefined ? 'possible' : 'proved',
        message:
          absent === undefined
            ? 'memory could not be registered with the network card'
            : 'GPU memory could not be registered with the network card, and nvidia-peermem is not loaded',
        seen: [...region.seen.slice(0, 2), ...(absent?.seen.slice(0, 1) ?? [])],
        remedies,
        ...(absent === undefined
          ? { missing: [{ fact: 'modules.loaded', ask: 'lsmod | grep -E "peermem|nv_peer_mem"; ulimit -l' }] }
          : {}),
        weight: 2,
      };
    }
    if (disabled === undefined && said === undefined) {
      return enabled === undefined
        ? { kind: 'silent' }
        : { kind: 'cleared', because: 'GPUDirect RDMA is enabled', seen: enabled.seen.slice(0, 1) };
    }
    const seen = [
      ...(disabled?.seen.slice(0, 2) ?? []),
      ...(said?.seen.slice(0, 2) ?? []),
      ...(absent?.seen.slice(0, 1) ?? []),
    ];
    if (absent !== undefined && (disabled !== undefined || said !== undefined)) {
      return {
        kind: 'fault',
        certainty: 'proved',
        message: 'GPUDirect RDMA is off because nvidia-peermem is not loaded',
        seen,
        remedies,
        weight: 2,
      };
    }
    return {
      kind: 'fault',
      certainty: said === undefined ? 'possible' : 'likely',
      message: said === undefined ? 'NCCL runs without GPUDirect RDMA' : 'nvidia-peermem could not be loaded',
      seen,
      remedies,
      missing: [{ fact: 'modules.loaded', ask: 'lsmod | grep -E "peermem|nv_peer_mem"' }],
    };
  },
});
