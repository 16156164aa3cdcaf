import type { Fact, SaidId } from '../../model/facts.ts';
import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, capture, missing, own, said, seen } from '../container-runtime/_container.ts';

export const nvidiaDriverHang: Rule = defineRule({
  id: 'driver/nvidia-driver-hang',
  summary: 'The GPU driver hangs in the kernel',
  needs: [],
  anyOf: [
    'said.smi-hang',
    'said.process-uninterruptible',
    'said.kernel-stuck-in-nvidia',
    'said.hard-lockup',
    'said.soft-lockup',
    'said.hung-task',
    'probe.missing',
  ],
  uses: ['said.kernel-stack-nvidia', 'said.kernel-stack-storage', 'said.storage-not-responding'],
  citations: ['kernel-lockups', 'kernel-hung-task'],
  explains: [
    'said.smi-*',
    'said.nvml-*',
    'said.hung-task',
    'said.soft-lockup',
    'said.hard-lockup',
    'said.pt-*',
    'said.nccl-*',
    'nccl/*',
    'network/*',
    'said.slurm-*',
  ],
  check(_facts, context) {
    const away = own(context, 'probe.missing').find(
      (fact) => fact.value.source === 'nvidia-smi-q' && fact.value.why === 'timeout',
    );
    const stuck = said(context, 'smi-hang')[0] ?? away ?? said(context, 'process-uninterruptible')[0];
    const frame = said(context, 'kernel-stuck-in-nvidia')[0] ?? said(context, 'kernel-stack-nvidia')[0];
    const lockup = said(context, 'hard-lockup', 'soft-lockup')[0];
    const hung = said(context, 'hung-task')[0];
    const storage = said(context, 'kernel-stack-storage', 'storage-not-responding')[0];
    const lead = stuck ?? lockup ?? hung;
    if (lead === undefined) return { kind: 'silent' };
    if (storage !== undefined && frame === undefined)
      return { kind: 'cleared', because: 'the stack is in the storage', seen: seen(storage) };
    const remedies = [
      {
        actor: 'node-admin',
        do: 'save what the kernel says, before the reboot',
        command: 'dmesg -T > dmesg.txt; cat /proc/PID/stack; nvidia-bug-report.sh --safe-mode',
      },
      { actor: 'node-admin', do: 'reboot; a process that waits in the kernel cannot be killed' },
      { actor: 'node-admin', do: 'take a driver release that repairs it; compare with nodes of the same release' },
    ] as const;
    const tool =
      capture(lead === away ? [] : [lead as Fact<SaidId>], 'tool', 'name', 'task') ??
      (stuck === undefined ? undefined : 'nvidia-smi');
    if (frame !== undefined) {
      return {
        kind: 'fault',
        certainty: byPrint(lead, frame),
        message: `${tool === undefined ? 'a processor' : tool} hangs in the kernel, in the module ${capture([frame], 'module') ?? 'nvidia'}`,
        seen: seen(lead, frame),
        remedies,
        weight: 1,
      };
    }
    if (stuck === undefined && !/nvidia|dcgm|nv-hostengine/.test(tool ?? '')) {
      return {
        kind: 'unknown',
        missing: [
          missing(
            'the stack of the task',
            'cat /proc/PID/stack; dmesg -T | grep -A30 -iE "blocked for more|lockup|stall"',
          ),
        ],
      };
    }
    return {
      kind: 'fault',
      certainty: 'likely',
      message: `${tool ?? 'nvidia-smi'} waits in the kernel and does not come back`,
      seen: seen(lead, lockup, hung),
      remedies,
      missing: [missing('its stack, and the Xids before', 'cat /proc/PID/stack; dmesg -T | grep -E "NVRM|Xid"')],
    };
  },
});
