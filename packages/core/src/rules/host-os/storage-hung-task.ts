import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, capture, missing, own, said, seen } from '../container-runtime/_container.ts';

export const storageHungTask: Rule = defineRule({
  id: 'host-os/storage-hung-task',
  summary: 'Processes wait in the kernel for storage that does not answer',
  needs: [],
  anyOf: ['said.hung-task', 'said.storage-not-responding', 'said.soft-lockup'],
  uses: ['said.kernel-stack-storage', 'said.kernel-stack-nvidia', 'gpu.xid'],
  citations: ['kernel-hung-task'],
  explains: [
    'said.hung-task',
    'said.pt-watchdog-timeout',
    'said.pt-heartbeat-monitor',
    'said.nccl-*',
    'said.pt-*',
    'said.smi-hang',
    'said.storage-not-responding',
    'nccl/*',
    'network/*',
  ],
  check(_facts, context) {
    const hung = said(context, 'hung-task');
    const storage = said(context, 'kernel-stack-storage')[0];
    const server = said(context, 'storage-not-responding')[0];
    const driver = said(context, 'kernel-stack-nvidia')[0];
    const hardware = own(context, 'gpu.xid').find((fact) =>
      [48, 62, 74, 79, 94, 95, 119, 120].includes(fact.value.xid),
    );
    const remedies = [
      {
        actor: 'node-admin',
        do: 'bring the file server or disk back',
        command: 'dmesg -T | grep -E "not responding|blocked for more|I/O error"; mount | grep -E "nfs|lustre|ceph"',
      },
      { actor: 'node-admin', do: 'restart the job; the GPUs need nothing' },
    ] as const;
    if (hardware !== undefined)
      return { kind: 'cleared', because: `Xid ${hardware.value.xid} stands beside it`, seen: seen(hardware) };
    const lead = hung[0];
    const names = [...new Set(hung.map((fact) => fact.value.captures['name'] ?? ''))]
      .filter((name) => name !== '')
      .slice(0, 3)
      .join(', ');
    if (lead !== undefined && (storage !== undefined || server !== undefined)) {
      if (driver !== undefined && server === undefined && driver.order < (storage?.order ?? Number.POSITIVE_INFINITY)) {
        return { kind: 'cleared', because: 'the stack is in the GPU driver', seen: seen(driver) };
      }
      const proof = storage ?? server;
      return {
        kind: 'fault',
        certainty: byPrint(lead, proof),
        message: `${names === '' ? 'a process' : names} waits in the kernel for storage${capture([server ?? lead], 'server') === undefined ? '' : ` (${capture([server!], 'server')!})`}`,
        seen: seen(lead, server, storage),
        remedies,
        weight: 4,
      };
    }
    if (driver !== undefined) return { kind: 'cleared', because: 'the stack is in the GPU driver', seen: seen(driver) };
    if (server !== undefined) {
      return {
        kind: 'fault',
        certainty: 'possible',
        message: 'storage does not answer',
        seen: seen(server),
        remedies,
        missing: [missing('said.hung-task', 'dmesg -T | grep -A20 "blocked for more"')],
      };
    }
    if (lead === undefined) return { kind: 'silent' };
    const kernelThread = hung.find((fact) =>
      /^(?:nfsd?|kworker|jbd2|xfsaild|txg_sync|ptlrpcd|ll_)/.test(fact.value.captures['name'] ?? ''),
    );
    return {
      kind: 'fault',
      certainty: kernelThread === undefined ? 'possible' : 'likely',
      message: `${names === '' ? 'a process' : names} is stuck in the kernel`,
      seen: seen(kernelThread ?? lead),
      remedies,
      missing: [missing('said.kernel-stack-storage', 'dmesg -T | grep -A25 "blocked for more"')],
    };
  },
});
