import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';

export const pageableCopiesSynchronous: Rule = defineRule({
  id: 'application/pageable-copies-synchronous',
  summary: 'Asynchronous copies from or to pageable memory block the caller',
  needs: [],
  anyOf: ['said.nsys-pageable-notice', 'profile.metric'],
  uses: ['gpu.name'],
  citations: ['cuda-runtime-api', 'cuda-programming-guide'],
  explains: ['application/pageable-copies-slow'],
  check(facts, context) {
    const remedies = [
      {
        actor: 'developer',
        do: 'use page-locked buffers for what is copied',
        command: 'DataLoader(pin_memory=True); tensor.pin_memory(); cudaHostAlloc',
      },
      { actor: 'developer', do: 'then copy with non_blocking=True on a stream of its own' },
    ] as const;
    const notice = facts['said.nsys-pageable-notice'];
    if (notice !== undefined) {
      return {
        kind: 'fault',
        certainty: 'proved',
        message: 'Nsight Systems finds asynchronous copies from pageable memory, which run synchronously',
        seen: notice.seen,
        remedies,
        weight: 2,
      };
    }
    const pageable = context.all('profile.metric').find((fact) => fact.value.name === 'pageable-copies');
    if (pageable === undefined) return { kind: 'silent' };
    const calls = context.all('profile.api');
    const asynchronous =
      calls.find((fact) => fact.value.name.startsWith('cudaMemcpyAsync')) ??
      context.all('profile.metric').find((fact) => fact.value.name === 'async-copies');
    if (asynchronous !== undefined) {
      return {
        kind: 'fault',
        certainty: 'proved',
        message: 'asynchronous copies are asked for, and the memory is pageable',
        seen: [...pageable.seen.slice(0, 1), ...asynchronous.seen.slice(0, 1)],
        remedies,
      };
    }
    if (calls.length > 0) {
      return { kind: 'cleared', because: 'no asynchronous copy is called', seen: calls[0]!.seen.slice(0, 1) };
    }
    return {
      kind: 'fault',
      certainty: 'possible',
      message: 'copies come from pageable memory',
      seen: pageable.seen,
      remedies,
      missing: [
        { fact: 'profile.api', ask: 'nsys stats -r cuda_api_sum REPORT; nsys analyze -r cuda_memcpy_async REPORT' },
      ],
    };
  },
});
