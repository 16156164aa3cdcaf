import type { Evidence } from '../../model/document.ts';
import type { Fact } from '../../model/facts.ts';
import type { Outcome, Rule, RuleContext } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { isSamePiece } from './_standing.ts';
import { bytesOf } from './_sizes.ts';

export const applicationOutOfMemory: Rule = defineRule({
  id: 'application/application-out-of-memory',
  summary: 'The program asks for more device memory than the GPU has; the memory in use is its own',
  needs: [],
  anyOf: [
    'said.pt-oom',
    'said.xla-oom',
    'said.ggml-oom',
    'said.cuda-oom-runtime',
    'said.gpu-pool-exhausted',
    'said.cublas-status',
    'said.cudnn-status',
  ],
  uses: ['gpu.holders', 'gpu.state'],
  citations: ['pytorch-cuda-notes'],
  explains: [
    'application/application-exception',
    'said.pt-*',
    'said.nccl-*',
    'said.cuda-*',
    'said.vllm-*',
    'said.ggml-*',
    'said.gpu-pool-exhausted',
    'said.julia-cuda-error',
    'said.serving-memory-refused',
    'said.cublas-status',
    'said.cudnn-status',
  ],
  check(facts, context) {
    const messages = context.said.filter((fact) => refusals.includes(fact.id) && !beforeAny(fact));
    if (messages.length === 0) return handleRefused(context);
    const last = messages.reduce((late, fact) => (fact.order > late.order ? fact : late));
    // Another command that works is another program.
    const after = context.all('works').filter((fact) => fact.order > last.order && fact.command === last.command);
    if (after.some((fact) => isSamePiece(context, last.order, fact.order))) {
      return {
        kind: 'cleared',
        because: 'the program went on after it',
        seen: messages.at(-1)?.seen.slice(0, 1) ?? [],
      };
    }
    const seen = messages.flatMap((fact) => fact.seen.slice(0, 1)).slice(0, 4);
    const captures = Object.assign({}, ...messages.map((fact) => fact.value.captures)) as Record<string, string>;
    const total = bytesOf(captures['total'] ?? captures['totalOld']);
    const spare = reservedOf(seen) ?? 0;
    const allocated = bytesOf(captures['alloc'] ?? captures['allocOld']);
    const own = allocated === null ? bytesOf(captures['resv']) : allocated + spare;
    const want = bytesOf(captures['want']);
    const remedies = [
      { actor: 'developer', do: 'use a smaller batch, sequence or model, activation checkpointing, or more GPUs' },
      {
        actor: 'developer',
        do: 'if much is reserved but not allocated, let the allocator grow its segments',
        command: 'PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True',
      },
    ] as const;
    const others = seen
      .flatMap((each) => [...each.text.matchAll(/\bProcess \d{1,9} has ([\d.]{1,9} \w{2,3}) memory in use/g)])
      .map((match) => bytesOf(match[1]) ?? 0);
    if (total !== null && own === null && others.length > 1 && Math.max(...others) > total * 0.5) {
      return {
        kind: 'fault',
        certainty: 'possible',
        message: 'the GPU is full, and several processes hold its memory',
        seen,
        remedies,
        missing: [
          {
            fact: 'gpu.processes',
            ask: 'nvidia-smi --query-compute-apps=pid,process_name,used_memory --format=csv; ps -o pid,ppid,etime,cmd -p PID',
          },
        ],
      };
    }
    if (total !== null && own !== null) {
      // Most of the card is the process' own, or the request alone is larger than the card.
      if (own >= total * 0.6 || (want !== null && (want >= total || own + want > total * 0.9))) {
        return {
          kind: 'fault',
          certainty: 'proved',
          message: fragmented(spare, want, allocated)
            ? `the program holds the GPU's ${captures['total'] ?? captures['totalOld']} in pieces: much of it is reserved and not in use`
            : `the program needs more than the ${captures['total'] ?? captures['totalOld']} of the GPU, of which it holds ${captures['alloc'] ?? captures['allocOld']} itself`,
          seen,
          remedies,
          weight: 1,
        };
      }
      return {
        kind: 'fault',
        certainty: 'possible',
        message: 'the GPU is full, but most of its memory is not held by this process',
        seen,
        remedies,
        missing: [
          {
            fact: 'gpu.processes',
            ask: 'nvidia-smi --query-compute-apps=pid,process_name,used_memory --format=csv; fuser -v /dev/nvidia*',
          },
        ],
      };
    }
    if (context.all('gpu.holders').length > 0) {
      return {
        kind: 'cleared',
        because: 'other processes hold the memory',
        seen: context.all('gpu.holders').flatMap((fact) => fact.seen),
      };
    }
    return {
      kind: 'fault',
      certainty: 'likely',
      message: 'the program ran out of device memory',
      seen,
      remedies,
      missing: [
        { fact: 'gpu.processes', ask: 'nvidia-smi --query-compute-apps=pid,process_name,used_memory --format=csv' },
      ],
    };
  },
});

const refusals: readonly string[] = [
  'said.pt-oom',
  'said.xla-oom',
  'said.ggml-oom',
  'said.cuda-oom-runtime',
  'said.gpu-pool-exhausted',
];

/**
 * Calls that a program makes before it holds any memory: out of memory is there a matter of the machine, its limits or
 * of who else is on the GPU.
 */
const first =
  /\b(?:cuInit|cuDeviceGet\w{0,20}|cuCtxCreate\w{0,6}|cuDevicePrimaryCtxRetain|cudaGetDeviceCount|cudaSetDevice|cudaGetDevice|cuda_init|cudaDeviceReset)\b/;

function beforeAny(fact: Fact): boolean {
  return fact.seen.some((each) => first.test(each.text)) || fact.seen.some((each) => /driver init/.test(each.text));
}

/** Much is reserved and not in use, against what is asked for: the pool of the framework is in pieces. */
function fragmented(reserved: number, want: number | null, allocated: number | null): boolean {
  return want !== null && allocated !== null && reserved > want && reserved > 0.15 * allocated;
}

/** What torch holds without using it, as its message says. */
function reservedOf(seen: readonly Evidence[]): number | null {
  for (const each of seen) {
    const now = /and ([\d.]{1,12} \w{1,5}) is reserved by PyTorch but unallocated/.exec(each.text);
    if (now !== null) return bytesOf(now[1]);
    const old = /([\d.]{1,12} \w{1,5}) already allocated;.{0,60}?([\d.]{1,12} \w{1,5}) reserved in total/.exec(
      each.text,
    );
    if (old !== null) return Math.max(0, (bytesOf(old[2]) ?? 0) - (bytesOf(old[1]) ?? 0));
  }
  return null;
}

/** cuBLAS or cuDNN gets no room for its handle or workspace: with a full GPU that is all there is to it. */
function handleRefused(context: RuleContext): Outcome {
  const refused = [...context.all('said.cublas-status'), ...context.all('said.cudnn-status')].find(
    (fact) =>
      /ALLOC_FAILED|NOT_INITIALIZED|INTERNAL_ERROR/.test(fact.value.captures['status'] ?? '') &&
      fact.scope !== 'other-host',
  );
  if (refused === undefined) return { kind: 'silent' };
  const full = context
    .all('gpu.state')
    .find(
      (fact) =>
        (fact.value.memoryTotalMiB ?? 0) > 0 &&
        (fact.value.memoryUsedMiB ?? 0) >= 0.95 * (fact.value.memoryTotalMiB ?? 0),
    );
  if (full === undefined) return { kind: 'silent' };
  return {
    kind: 'fault',
    certainty: 'likely',
    message: `${refused.id === 'said.cudnn-status' ? 'cuDNN' : 'cuBLAS'} finds no memory for its handle: ${full.value.memoryUsedMiB} of ${full.value.memoryTotalMiB} MiB are in use`,
    seen: [...refused.seen.slice(0, 1), ...full.seen.slice(0, 1)],
    remedies: [{ actor: 'developer', do: 'leave a gigabyte free: smaller batch, smaller share for the cache' }],
    missing: [
      { fact: 'gpu.processes', ask: 'nvidia-smi --query-compute-apps=pid,process_name,used_memory --format=csv' },
    ],
  };
}
