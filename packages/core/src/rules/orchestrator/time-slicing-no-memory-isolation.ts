import type { Fact } from '../../model/facts.ts';
import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';

export const timeSlicingNoMemoryIsolation: Rule = defineRule({
  id: 'orchestrator/time-slicing-no-memory-isolation',
  summary: 'Pods that share one GPU by time-slicing share its memory too',
  needs: [],
  anyOf: ['said.pt-oom', 'said.cuda-oom-runtime', 'said.vllm-free-memory', 'said.ggml-oom', 'said.xla-oom'],
  uses: ['said.gpu-shared', 'gpu.processes', 'k8s.device-resource'],
  citations: ['gpu-sharing'],
  explains: [
    'said.pt-oom',
    'said.cuda-oom-runtime',
    'said.vllm-*',
    'said.ggml-*',
    'said.xla-oom',
    'application/application-out-of-memory',
    'application/gpu-memory-held-by-orphans',
    'application/application-exception',
  ],
  check(_facts, context) {
    const oom = [...said(context, 'pt-oom', 'cuda-oom-runtime', 'vllm-free-memory', 'ggml-oom', 'xla-oom')][0];
    if (oom === undefined) return { kind: 'silent' };
    const shared: Fact | undefined =
      said(context, 'gpu-shared').find((fact) => fact.value.captures['strategy'] !== 'mps') ??
      own(context, 'k8s.resource').find(
        (fact) =>
          (fact.value.name === 'nvidia.com/gpu.product' && /-SHARED$/.test(fact.value.value)) ||
          (fact.value.name === 'nvidia.com/gpu.replicas' && Number(fact.value.value) > 1),
      );
    const isolated = own(context, 'gpu.mig-device')[0];
    if (shared === undefined) {
      if (own(context, 'k8s.resource').length === 0 && own(context, 'k8s.device-resource').length === 0)
        return { kind: 'silent' };
      const label = own(context, 'k8s.resource').find((fact) => fact.value.name === 'nvidia.com/gpu.product');
      return label !== undefined && !/-SHARED$/.test(label.value.value)
        ? { kind: 'cleared', because: 'the GPUs of the node are not shared out', seen: seen(label) }
        : { kind: 'silent' };
    }
    if (isolated !== undefined)
      return { kind: 'cleared', because: 'the pod has a MIG device, whose memory is its own', seen: seen(isolated) };
    const others = own(context, 'gpu.processes').find((fact) => fact.value.length > 1);
    const share = /total capacity of ([\d.]{1,8}) GiB.{0,160}?this process has ([\d.]{1,8}) GiB/.exec(
      oom.seen[0]?.text ?? '',
    );
    if (share !== null && Number(share[2]) > 0.8 * Number(share[1]))
      return { kind: 'cleared', because: 'the process that failed holds the memory itself', seen: seen(oom) };
    const held = oom.seen.find(
      (each) =>
        /Process \d{1,9} has [\d.]{1,8} [GM]iB memory in use/.test(each.text) &&
        /this process has|Process \d{1,9} has .{0,200}Process \d{1,9} has/.test(each.text),
    );
    const proof = others ?? (held === undefined ? undefined : oom);
    const full = own(context, 'gpu.state').find(
      (fact) =>
        fact.value.memoryUsedMiB != null &&
        fact.value.memoryTotalMiB != null &&
        fact.value.memoryUsedMiB > 0.9 * fact.value.memoryTotalMiB,
    );
    return {
      kind: 'fault',
      certainty: proof === undefined ? (full === undefined ? 'possible' : 'likely') : byPrint(shared, proof),
      message:
        proof === undefined
          ? 'the GPU is shared out by time-slicing, so another pod may hold its memory'
          : 'the GPU is shared out by time-slicing, and other processes hold its memory',
      seen: seen(oom, shared, others),
      remedies: [
        {
          actor: 'cluster-admin',
          do: 'see who holds the memory',
          command: 'nvidia-smi --query-compute-apps=pid,name,used_memory --format=csv   # on the node',
        },
        {
          actor: 'developer',
          do: 'limit each program by itself: set_per_process_memory_fraction, --gpu-memory-utilization, XLA_PYTHON_CLIENT_MEM_FRACTION',
        },
        {
          actor: 'cluster-admin',
          do: 'share by MIG, or by MPS with its memory limits, where pods must not disturb each other',
        },
      ],
      missing: proof === undefined ? [missing('gpu.processes', 'nvidia-smi   # on the node, while it fails')] : [],
      weight: proof === undefined ? 1 : 5,
    };
  },
});
