import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, container, missing, own, said, seen } from '../container-runtime/_container.ts';

export const gpuMemoryHeldByOrphans: Rule = defineRule({
  id: 'application/gpu-memory-held-by-orphans',
  summary: 'Left-over processes hold the memory of the GPU',
  needs: [],
  anyOf: [
    'gpu.holders',
    'gpu.processes',
    'said.pt-oom',
    'said.cuda-oom-runtime',
    'said.xla-oom',
    'said.vllm-free-memory',
    'said.ggml-oom',
  ],
  uses: ['gpu.state', 'said.orphan-process', 'process.parent'],
  citations: ['nvidia-smi-manual'],
  explains: [
    'application/application-out-of-memory',
    'application/application-exception',
    'said.pt-*',
    'said.cuda-*',
    'said.vllm-*',
    'said.xla-*',
    'said.ggml-*',
  ],
  check(_facts, context) {
    const holders = own(context, 'gpu.holders').find((fact) => fact.value.length > 0);
    const noHolders = own(context, 'gpu.holders').find((fact) => fact.value.length === 0);
    const lists = own(context, 'gpu.processes');
    const none = lists.find((fact) => fact.value.length === 0);
    const listed = lists.find((fact) => fact.value.length > 0);
    const oom = [
      ...said(context, 'pt-oom'),
      ...said(context, 'cuda-oom-runtime'),
      ...said(context, 'xla-oom'),
      ...said(context, 'vllm-free-memory'),
      ...said(context, 'ggml-oom'),
    ][0];
    const orphan = said(context, 'orphan-process')[0];
    const full = own(context, 'gpu.state').find((fact) => {
      const used = fact.value.memoryUsedMiB;
      const total = fact.value.memoryTotalMiB;
      return used != null && used >= 1024 && (total == null || used >= total * 0.15);
    });
    const empty = own(context, 'gpu.state').find(
      (fact) => fact.value.memoryUsedMiB != null && fact.value.memoryUsedMiB < 1024,
    );
    const remedies = [
      {
        actor: 'node-admin',
        do: 'end the left-over processes',
        command: 'fuser -v /dev/nvidia*   # then kill the PIDs that belong to no running job',
      },
      { actor: 'developer', do: 'end worker processes with the job: one process group, a handler for SIGTERM' },
    ] as const;
    if (holders !== undefined && none !== undefined && (oom !== undefined || full !== undefined)) {
      return {
        kind: 'fault',
        certainty: byPrint(holders, none),
        message: `nvidia-smi lists no process, but ${holders.value.slice(0, 4).join(', ')} hold${holders.value.length === 1 ? 's' : ''} the GPU`,
        seen: seen(oom, full, none, holders),
        remedies,
        weight: 5,
      };
    }
    const adopted = own(context, 'process.parent').find(
      (fact) =>
        fact.value.parent === 1 &&
        [oom, ...lists].some((each) =>
          each?.seen.some((line) => new RegExp(`\\b${fact.value.pid}\\b`).test(line.text.slice(0, 2000))),
        ),
    );
    if (adopted !== undefined && (oom !== undefined || full !== undefined)) {
      return {
        kind: 'fault',
        certainty: container(context) === undefined ? byPrint(adopted) : 'possible',
        message: `process ${adopted.value.pid} lost its parent and still holds memory of the GPU`,
        seen: seen(oom, adopted, listed),
        remedies,
        ...(container(context) === undefined
          ? {}
          : { missing: [missing('gpu.holders', 'ps -eo pid,ppid,etime,cmd on the host')] }),
        weight: 5,
      };
    }
    if (
      orphan !== undefined &&
      (oom !== undefined || full !== undefined) &&
      (holders !== undefined || listed !== undefined || full !== undefined)
    ) {
      return {
        kind: 'fault',
        certainty: byPrint(orphan, holders ?? listed ?? full),
        message: 'processes of an earlier job are still there and hold memory of the GPU',
        seen: seen(oom, orphan, holders ?? listed, full),
        remedies,
        weight: 5,
      };
    }
    if (full !== undefined && none !== undefined && noHolders === undefined) {
      const hidden = container(context) !== undefined && holders === undefined;
      if (oom === undefined && hidden) return { kind: 'silent' };
      return {
        kind: 'fault',
        certainty: hidden || oom === undefined ? 'possible' : 'likely',
        message: `${full.value.memoryUsedMiB ?? '?'} MiB of the GPU are in use, though nvidia-smi lists no process`,
        seen: seen(oom, full, none),
        remedies,
        missing: [
          missing('gpu.holders', 'sudo fuser -v /dev/nvidia*; ps -eo pid,ppid,stat,etime,cmd | grep -i python'),
        ],
        weight: 2,
      };
    }
    if (holders !== undefined && oom !== undefined) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: `${holders.value.slice(0, 4).join(', ')} hold${holders.value.length === 1 ? 's' : ''} the GPU`,
        seen: seen(oom, holders, full),
        remedies,
        missing: [
          missing(
            'gpu.processes',
            'nvidia-smi --query-compute-apps=pid,process_name,used_memory --format=csv; ps -o pid,ppid,etime,cmd -p PIDS',
          ),
        ],
        weight: 2,
      };
    }
    if (oom !== undefined && (noHolders !== undefined || (empty !== undefined && full === undefined))) {
      return {
        kind: 'cleared',
        because: 'no other process holds memory of the GPU',
        seen: seen(noHolders ?? none ?? empty),
      };
    }
    const other = said(context, 'pt-oom').find((fact) =>
      fact.seen.some((each) => /Process \d{1,9} has [\d.]{1,10} [GM]iB memory in use/.test(each.text)),
    );
    if (other !== undefined) {
      return {
        kind: 'fault',
        certainty: 'possible',
        message: 'another process holds memory of the GPU; it may be left over',
        seen: seen(other),
        remedies,
        missing: [
          missing(
            'gpu.holders',
            'nvidia-smi --query-compute-apps=pid,process_name,used_memory --format=csv; ps -o pid,ppid,etime,cmd -p PIDS',
          ),
        ],
        weight: -1,
      };
    }
    return { kind: 'silent' };
  },
});
