import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { quote, saidOf } from '../framework/_stack.ts';
import { mapLimit, pinnedFailures, registeredCount } from './_pinned.ts';

export const pinnedAllocFailsHostLimit: Rule = defineRule({
  id: 'application/pinned-alloc-fails-host-limit',
  summary: 'Page-locking host memory failed; it is the host that is full, not the GPU',
  needs: [],
  anyOf: ['said.host-register-failed', 'said.cuda-host-register-limits', 'said.cuda-oom-runtime', 'said.pt-oom'],
  uses: ['said.pinned-call', 'os.memlock-kib', 'said.max-map-count', 'said.pinned-segment-count', 'host.pinned-size'],
  citations: ['cuda-runtime-api', 'cuda-programming-guide'],
  explains: [
    'application/application-out-of-memory',
    'application/application-exception',
    'said.cuda-*',
    'said.host-register-failed',
    'said.pt-*',
    'said.vllm-*',
    'host-os/gpu-memory-held-by-orphans',
  ],
  check(_, context) {
    const failures = pinnedFailures(context);
    const failure = failures[0];
    if (failure === undefined) {
      const oom = saidOf(context, 'pt-oom')[0];
      if (oom !== undefined && oom.value.captures['want'] !== undefined)
        return { kind: 'cleared', because: 'the message is about device memory', seen: quote(2, oom) };
      return saidOf(context, 'pinned-call').length > 0
        ? {
            kind: 'unknown',
            missing: [{ fact: 'the call that failed', ask: 'CUDA_LAUNCH_BLOCKING=1 python … ; nvidia-smi; free -m' }],
          }
        : { kind: 'silent' };
    }
    const count = registeredCount(context);
    const limit = mapLimit(context);
    if (failure.registers && count !== null && count.count >= (limit?.limit ?? 65530) * 0.45) {
      return {
        kind: 'cleared',
        because: `it is the number of registrations that is full (${count.count})`,
        seen: quote(3, ...count.facts),
      };
    }
    return {
      kind: 'fault',
      // The failing call itself locks host memory: what it reports as out of memory is the host's, by its definition.
      certainty: failure.shown ? 'proved' : 'likely',
      message: `page-locking host memory failed${failure.fact.value.captures['call'] === undefined ? '' : ` (${failure.fact.value.captures['call']})`}: the limit is the host's, not the GPU's`,
      seen: quote(5, failure.fact, failure.call),
      remedies: [
        {
          actor: 'developer',
          do: 'pin less: fewer workers, smaller buffers, or pageable memory for what is copied seldom',
        },
        {
          actor: 'node-admin',
          do: 'look at the limits of the host and of the container',
          command: 'free -m; ulimit -l; cat /sys/fs/cgroup/memory.max',
        },
      ],
      weight: 3,
    };
  },
});
