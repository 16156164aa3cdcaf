import type { FactValues } from '../../model/facts.ts';
import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, capture, missing, own, said, seen } from '../container-runtime/_container.ts';

export const storageHungTask: Rule = defineRule({
  id: 'host-os/storage-hung-task',
  summary: 'Processes wait in the kernel for storage that does not answer',
  needs: [],
  anyOf: ['said.hung-task', 'said.storage-not-responding', 'said.soft-lockup'],
  uses: ['said.kernel-stack-storage', 'said.kernel-stack-nvidia', 'gpu.xid', 'os.hung-task'],
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
    // Each task with its own stack says more than frames anywhere in the text.
    const tasks = own(context, 'os.hung-task');
    const waiting = tasks.filter((fact) => fact.value.where === 'storage');
    const blocked = waiting[0];
    if (blocked !== undefined) {
      return {
        kind: 'fault',
        certainty: byPrint(blocked),
        message: hungText(
          waiting.map((fact) => fact.value),
          capture(server === undefined ? [] : [server], 'server'),
        ),
        seen: seen(...waiting.slice(0, 2), server),
        remedies,
        weight: 4,
      };
    }
    const elsewhere = tasks.find((fact) => fact.value.where === 'gpu-driver' || fact.value.where === 'network');
    if (elsewhere !== undefined && server === undefined)
      return {
        kind: 'cleared',
        because: `the stack of ${elsewhere.value.task} waits in the ${elsewhere.value.where === 'network' ? 'network driver' : 'GPU driver'}`,
        seen: seen(elsewhere),
      };
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
    // A stack that is shown and names no storage says that it is not it.
    const shown = tasks.some((fact) => fact.value.frames.length > 0);
    const kernelThread = hung.find(
      (fact) =>
        !shown && /^(?:nfsd?|kworker|jbd2|xfsaild|txg_sync|ptlrpcd|ll_)/.test(fact.value.captures['name'] ?? ''),
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

/** `python and 3 more wait in the kernel for Lustre, for 120 to 480 seconds`. */
function hungText(tasks: readonly FactValues['os.hung-task'][], server: string | undefined): string {
  const names = [...new Set(tasks.map((task) => task.task))];
  const files = [...new Set(tasks.flatMap((task) => task.files ?? []))];
  const seconds = tasks.map((task) => task.seconds);
  const longest = Math.max(...seconds);
  const shown = names.slice(0, 3).join(', ');
  const where = files.filter((each) => each !== 'block layer');
  return `${shown}${names.length > 3 ? ` and ${names.length - 3} more` : ''} ${names.length === 1 ? 'waits' : 'wait'} in the kernel for storage${where.length === 0 ? '' : ` (${where.slice(0, 2).join(', ')}${server === undefined ? '' : `, ${server}`})`}${where.length === 0 && server !== undefined ? ` (${server})` : ''}, for ${longest} seconds and more${tasks.length > names.length ? `; ${tasks.length} reports` : ''}`;
}
