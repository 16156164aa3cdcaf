import type { Fact, FactId } from '../model/facts.ts';
import type { Outcome, Remedy, Rule, RuleContext } from '../model/rule.ts';
import { defineRule } from '../model/rule.ts';

/** What helps against what a trace shows, and the healthy readings that clear it. */
interface OfCause {
  readonly remedies: readonly Remedy[];
  readonly clearedBy?: readonly string[];
  /** By a number that a finding was measured by: what helps then, before the general. */
  readonly first?: Readonly<Record<string, readonly Remedy[]>>;
  /** What it leaves open is shown as a finding that is only possible. */
  readonly suspicion?: true;
}

/** No overlap saves more than the kernels take; where copies take more, they have to become fewer. */
const copyLess: Remedy = {
  actor: 'developer',
  do: 'keep on the GPU what the next step uses again, and copy back only what the host needs',
};

const ofCause: Readonly<Record<string, OfCause>> = {
  'streams-without-order': {
    remedies: [
      {
        actor: 'developer',
        do: 'if the two share a buffer, record an event behind the work that writes it and let the other stream wait for it',
        command: 'cudaEventRecord(done, first); cudaStreamWaitEvent(second, done)',
      },
      {
        actor: 'developer',
        do: 'or give both libraries one stream',
        command:
          'cublasSetStream, cudnnSetStream, cufftSetStream; torch: side.wait_stream(main), tensor.record_stream(side)',
      },
    ],
    clearedBy: ['ok-streams-ordered', 'ok-single-stream-saturated'],
    suspicion: true,
  },
  'default-stream-serialisation': {
    remedies: [
      {
        actor: 'developer',
        do: 'give the work of the default stream a stream of its own, or create the others with cudaStreamNonBlocking; order what depends on each other with events',
      },
      {
        actor: 'developer',
        do: 'or build with default streams that do not wait for each other',
        command: 'nvcc --default-stream per-thread …',
      },
    ],
    clearedBy: ['ok-per-thread-default-stream', 'ok-streams-overlap', 'ok-single-stream-saturated'],
  },
  'launch-bound-needs-cuda-graphs': {
    remedies: [
      {
        actor: 'developer',
        do: 'capture the part that repeats in a CUDA graph and replay it',
        command: 'torch.compile(model, mode="reduce-overhead")',
      },
      { actor: 'developer', do: 'or fuse the small kernels, or give each more work' },
    ],
    clearedBy: ['ok-cuda-graphs-used', 'ok-small-kernels-queued', 'ok-single-stream-saturated'],
  },
  'sync-after-each-kernel': {
    remedies: [
      {
        actor: 'developer',
        do: 'wait once for each step; keep values on the device instead of reading them with .item(), .cpu() or print',
      },
      {
        actor: 'developer',
        do: 'look whether every launch is made to wait',
        command: 'env | grep CUDA_LAUNCH_BLOCKING',
      },
    ],
    clearedBy: ['ok-sync-once-per-step'],
  },
  'copies-not-overlapped': {
    remedies: [
      {
        actor: 'developer',
        do: 'copy the next part on a stream of its own while this one is computed',
        command: 'cudaMemcpyAsync(…, stream[i]); kernel<<<…, stream[i]>>>',
      },
      { actor: 'developer', do: 'in torch: pin_memory=True and .to(device, non_blocking=True) for the next batch' },
      copyLess,
    ],
    clearedBy: ['ok-copies-pinned-overlapped', 'ok-peer-copies'],
  },
  'pageable-copies-slow': {
    remedies: [
      {
        actor: 'developer',
        do: 'copy from page-locked memory',
        command: 'cudaHostAlloc, cudaHostRegister; DataLoader(pin_memory=True)',
      },
      copyLess,
    ],
    clearedBy: ['ok-pageable-fast-on-gh200', 'ok-pageable-negligible', 'ok-copies-pinned-overlapped'],
  },
  'pageable-copies-synchronous': {
    remedies: [
      {
        actor: 'developer',
        do: 'copy from page-locked memory: only then does cudaMemcpyAsync return at once',
        command: 'cudaHostAlloc, cudaHostRegister; DataLoader(pin_memory=True)',
      },
      copyLess,
    ],
    clearedBy: ['ok-pageable-fast-on-gh200', 'ok-pageable-negligible', 'ok-copies-pinned-overlapped'],
  },
  'many-small-copies': {
    remedies: [
      {
        actor: 'developer',
        do: 'gather what belongs together in one buffer and copy it once; keep values on the device',
      },
    ],
  },
  'managed-memory-page-faults': {
    remedies: [
      {
        actor: 'developer',
        do: 'prefetch what a kernel needs, make it fit, or allocate on the device',
        command: 'cudaMemPrefetchAsync, cudaMemAdvise',
      },
    ],
    clearedBy: ['ok-managed-prefetched'],
  },
  'managed-memory-oversubscribed': {
    remedies: [
      {
        actor: 'developer',
        do: 'fetch ahead only what the next kernels use and what fits; give back what is done with before',
        command: 'cudaMemPrefetchAsync(…, cudaCpuDeviceId), cudaMemAdvise(cudaMemAdviseSetPreferredLocation)',
      },
      { actor: 'developer', do: 'or make the work smaller: parts, shorter number formats, more GPUs' },
    ],
    clearedBy: ['ok-managed-prefetched'],
  },
  'alloc-in-loop': {
    remedies: [
      {
        actor: 'developer',
        do: 'allocate before the loop, or take memory from a pool',
        command: 'cudaMallocAsync, cudaMemPoolSetAttribute(cudaMemPoolAttrReleaseThreshold)',
      },
    ],
    clearedBy: ['ok-allocated-once'],
  },
  'nccl-straggler-rank': {
    remedies: [
      { actor: 'developer', do: 'look at what the late rank does before its collectives: input, uneven work, waits' },
      { actor: 'node-admin', do: 'compare clocks, heat and links of its GPU with the others', command: 'culprit util' },
    ],
    first: {
      'waiting for a slower GPU': [
        {
          actor: 'node-admin',
          do: 'compare clocks, heat, power and links of the GPU of the late rank with the others',
          command: 'nvidia-smi -q -d CLOCK,PERFORMANCE,TEMPERATURE,POWER',
        },
        { actor: 'developer', do: 'if its GPU is as fast as the others, look whether that rank has larger inputs' },
      ],
      'waiting for late input': [
        { actor: 'developer', do: 'look at the loader of the late rank: its workers, its shard, the files it reads' },
        { actor: 'cluster-admin', do: 'compare CPU cores and storage of that rank with the others' },
      ],
    },
    clearedBy: ['ok-nccl-overlapped'],
  },
  'nccl-exposed-communication': {
    remedies: [
      {
        actor: 'developer',
        do: 'start the exchange while the backward pass runs: buckets of DDP, prefetch of FSDP, a stream of its own',
      },
      {
        actor: 'developer',
        do: 'send less: larger local batches, accumulated gradients, a shorter number format',
      },
    ],
    clearedBy: ['ok-nccl-overlapped'],
  },
  'wave-quantisation-tail': {
    remedies: [
      { actor: 'developer', do: 'choose a grid that fills whole waves, smaller blocks, or a persistent kernel' },
    ],
    clearedBy: ['ok-tiny-kernel-negligible', 'ok-persistent-kernel'],
  },
  'tensor-cores-idle': {
    remedies: [
      {
        actor: 'developer',
        do: 'if the program bears it, compute in bfloat16 or let float32 products use TF32',
        command: "torch.set_float32_matmul_precision('high')",
      },
    ],
  },
  'input-pipeline-bound': {
    remedies: [
      { actor: 'developer', do: 'use more loader workers, prefetching and page-locked buffers' },
      { actor: 'cluster-admin', do: 'give the job the CPU cores and the storage that its workers need' },
    ],
    clearedBy: ['ok-loader-keeps-up', 'ok-first-batch-slow'],
  },
  'straggler-rank-input': {
    remedies: [
      { actor: 'developer', do: 'look at the loader of that rank: its shard, its workers, its files' },
      { actor: 'cluster-admin', do: 'compare CPU cores and storage of that rank with the others' },
    ],
  },
  'straggler-gpu': {
    remedies: [
      {
        actor: 'node-admin',
        do: 'compare clocks, heat, power and links of that GPU with the others',
        command: 'nvidia-smi -q -d CLOCK,PERFORMANCE,TEMPERATURE,POWER',
      },
    ],
  },
  'busy-label-idle-sms': {
    remedies: [
      { actor: 'developer', do: 'launch grids with more blocks than the GPU has SMs, or run several side by side' },
    ],
    clearedBy: ['ok-tiny-kernel-negligible', 'ok-persistent-kernel'],
  },
  'block-size-too-small': {
    remedies: [{ actor: 'developer', do: 'use 128 threads or more in a block', command: 'culprit occupancy' }],
  },
  'low-achieved-occupancy': {
    remedies: [{ actor: 'developer', do: 'see what limits the resident warps', command: 'ncu --set full' }],
  },
  'host-offload-copy-bound': {
    remedies: [
      {
        actor: 'developer',
        do: 'overlap copies with kernels: page-locked memory, a stream of their own, prefetching of the next layer',
      },
      { actor: 'developer', do: 'offload less: smaller batches, quantised weights, more GPUs' },
    ],
    clearedBy: ['ok-copies-pinned-overlapped'],
  },
  'recompiles-in-steady-state': {
    remedies: [
      {
        actor: 'developer',
        do: 'find what changes from step to step (shapes, constants, options) and keep it the same, or compile for changing shapes',
        command: 'TORCH_LOGS=recompiles python train.py; torch.compile(model, dynamic=True)',
      },
      { actor: 'developer', do: 'keep the caches: of the driver (~/.nv/ComputeCache), of Triton, of cuDNN' },
    ],
    clearedBy: ['ok-first-iteration-jit'],
  },
  'application-clocks-lowered': {
    remedies: [{ actor: 'node-admin', do: 'take the setting back', command: 'nvidia-smi -rac; nvidia-smi -rgc' }],
  },
  'power-throttle': {
    remedies: [
      {
        actor: 'node-admin',
        do: 'see what holds the clocks down',
        command: 'nvidia-smi -q -d POWER,CLOCK,PERFORMANCE',
      },
    ],
  },
};

function causeOf(id: string): string {
  return id.slice(id.indexOf('/') + 1);
}

function findingsIn(context: RuleContext): readonly Fact<'trace.finding'>[] {
  return context.all('trace.finding').filter((fact) => fact.scope !== 'after-fix' && fact.scope !== 'other-host');
}

/** What the traces say of a cause; null where they say nothing. */
function outcomeOf(
  cause: string,
  { remedies, first = {}, clearedBy = [], suspicion }: OfCause,
  context: RuleContext,
): Outcome | null {
  const all = findingsIn(context);
  const fact = all.find(({ value }) => value.cause === cause && value.kind !== 'healthy');
  if (fact !== undefined) {
    const { certainty, message, measured, missing, kind, place } = fact.value;
    const own = measured.find(({ name }) => first[name] !== undefined);
    if (kind === 'unclear' && suspicion !== true)
      return { kind: 'unknown', missing: missing === null ? [] : [missing] };
    return {
      kind: 'fault',
      certainty,
      message,
      seen: fact.seen.slice(0, 6),
      remedies: own === undefined ? remedies : first[own.name]!,
      ...(missing === null ? {} : { missing: [missing] }),
      weight: Math.max(-5, 5 - place),
    };
  }
  const well = all.find(({ value }) => value.kind === 'healthy' && clearedBy.includes(value.cause));
  return well === undefined ? null : { kind: 'cleared', because: well.value.message, seen: well.seen.slice(0, 2) };
}

/** The same rule, which also speaks where a trace shows its fault. */
export function orTrace(rule: Rule): Rule {
  const own = ofCause[causeOf(rule.id)];
  if (own === undefined || rule.needs.includes('trace.finding')) return rule;
  const before: readonly FactId[] = [...rule.needs, ...(rule.anyOf ?? [])];
  return {
    ...rule,
    needs: [],
    anyOf: [...before, 'trace.finding'],
    check(facts, context) {
      const traced = outcomeOf(causeOf(rule.id), own, context);
      if (traced !== null) return traced;
      const has = (id: FactId): boolean => facts[id] !== undefined;
      const asked = rule.needs.every(has) && (rule.anyOf === undefined || rule.anyOf.some(has));
      return asked ? rule.check(facts, context) : { kind: 'silent' };
    },
  };
}

/** A rule whose fault only traces show. */
export function traceRule(rule: Pick<Rule, 'id' | 'summary' | 'citations' | 'explains'>): Rule {
  const own = ofCause[causeOf(rule.id)] ?? { remedies: [] };
  return defineRule({
    ...rule,
    needs: ['trace.finding'],
    check(_facts, context) {
      const found = outcomeOf(causeOf(rule.id), own, context);
      if (found !== null) return found;
      const open = findingsIn(context).find(({ value }) => value.kind === 'unclear' && value.missing !== null);
      return open?.value.missing == null ? { kind: 'silent' } : { kind: 'unknown', missing: [open.value.missing] };
    },
  });
}
