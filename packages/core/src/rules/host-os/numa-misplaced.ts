import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, seen } from '../container-runtime/_container.ts';

/** Numbers of a list such as `0-3,8`; at most 4096 of them. */
function cpusOf(list: string): ReadonlySet<number> {
  const found = new Set<number>();
  for (const part of list.split(',')) {
    const [from, to] = part.split('-').map(Number);
    if (from === undefined || !Number.isInteger(from)) continue;
    const end = Math.min(to ?? from, from + 4096);
    for (let cpu = from; cpu <= end && found.size < 4096; cpu++) found.add(cpu);
  }
  return found;
}

export const numaMisplaced: Rule = defineRule({
  id: 'host-os/numa-misplaced',
  summary: 'A process runs on processors that are far from its GPU',
  needs: [],
  anyOf: ['process.cpus'],
  uses: ['gpu.affinity', 'process.gpu', 'env'],
  citations: ['kernel-numa', 'nvidia-smi-manual'],
  check(_facts, context) {
    const cpus = own(context, 'process.cpus');
    const near = own(context, 'gpu.affinity').filter(
      (fact) => fact.value.device.startsWith('GPU') && fact.value.cpus !== null,
    );
    const lead = cpus[0];
    if (lead === undefined) return { kind: 'silent' };
    const visible = own(context, 'env').find((fact) => fact.value.name === 'CUDA_VISIBLE_DEVICES')?.value.value ?? null;
    const user = own(context, 'process.gpu').find((fact) => fact.value.pid === lead.value.pid);
    const index =
      user !== undefined ? String(user.value.index) : visible !== null && /^\d{1,2}$/.test(visible) ? visible : null;
    const gpus = index === null ? near : near.filter((fact) => fact.value.device === `GPU${index}`);
    if (gpus.length === 0) return { kind: 'unknown', missing: [missing('gpu.affinity', 'nvidia-smi topo -m')] };
    const bound = cpusOf(lead.value.cpus);
    const touching = gpus.find((fact) => [...cpusOf(fact.value.cpus ?? '')].some((cpu) => bound.has(cpu)));
    if (touching !== undefined)
      return {
        kind: 'cleared',
        because: `the process may run near ${touching.value.device}`,
        seen: seen(lead, touching),
      };
    const one = gpus.length === 1 || new Set(gpus.map((fact) => fact.value.cpus)).size === 1;
    if (!one && index === null)
      return {
        kind: 'unknown',
        missing: [
          missing(
            'which GPU this process uses',
            'tr "\\\\0" "\\\\n" < /proc/PID/environ | grep CUDA_VISIBLE; nvidia-smi',
          ),
        ],
      };
    const gpu = gpus[0]!;
    return {
      kind: 'fault',
      certainty: byPrint(lead, gpu),
      message: `the process runs on processors ${lead.value.cpus}, and ${gpu.value.device} is near ${gpu.value.cpus}`,
      seen: seen(lead, gpu),
      remedies: [
        {
          actor: 'developer',
          do: 'bind each rank to the processors of its GPU',
          command: 'srun --gpus-per-task=1 --gpu-bind=closest …; numactl --cpunodebind=N --membind=N …',
        },
        {
          actor: 'cluster-admin',
          do: 'in Kubernetes: topology manager with single-numa-node; in Slurm: cores of each GPU in gres.conf',
        },
      ],
    };
  },
});
