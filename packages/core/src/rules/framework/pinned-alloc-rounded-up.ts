import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { bytesText, pinnedFailures, roundedUp } from '../application/_pinned.ts';
import { quote, saidOf } from './_stack.ts';

export const pinnedAllocRoundedUp: Rule = defineRule({
  id: 'framework/pinned-alloc-rounded-up',
  summary: 'The allocator of the framework rounds pinned memory up to a power of two',
  needs: [],
  anyOf: [
    'host.pinned-size',
    'said.pinned-rounding-note',
    'said.host-register-failed',
    'said.cuda-host-register-limits',
  ],
  uses: ['said.pinned-call'],
  citations: ['pytorch-pinned-rounding'],
  explains: [
    'application/application-exception',
    'application/pinned-alloc-fails-host-limit',
    'application/pinned-memory-host-oom',
    'application/container-memory-limit',
    'said.cuda-*',
    'said.host-register-failed',
    'said.oom-*',
    'said.exit-137-oomkilled',
  ],
  check(_, context) {
    const size = roundedUp(context);
    const note = saidOf(context, 'pinned-rounding-note')[0];
    const remedies = [
      {
        actor: 'developer',
        do: 'ask for sizes just at or below a power of two, or cut large buffers into such pieces',
      },
      {
        actor: 'developer',
        do: 'or register memory that the program allocated itself, which is not rounded',
        command: 'torch.cuda.cudart().cudaHostRegister(t.data_ptr(), t.numel() * t.element_size(), 0)',
      },
    ] as const;
    if (size !== undefined) {
      const { asked, taken } = size.value;
      return {
        kind: 'fault',
        certainty: size.told ? 'likely' : 'proved',
        message: `${bytesText(asked)} of pinned memory take ${bytesText(taken)}, the next power of two`,
        seen: quote(5, size, note),
        remedies,
        weight: 4,
      };
    }
    if (note !== undefined)
      return {
        kind: 'fault',
        certainty: 'likely',
        message: 'pinned memory is rounded up to a power of two',
        seen: quote(4, note),
        remedies,
        missing: [{ fact: 'host.pinned-size', ask: 'python -c "import torch; print(torch.cuda.host_memory_stats())"' }],
        weight: 3,
      };
    const failure = pinnedFailures(context)[0];
    if (failure === undefined) return { kind: 'silent' };
    if (failure.registers)
      return {
        kind: 'cleared',
        because: 'memory that is registered where it lies is not rounded',
        seen: quote(2, failure.fact),
      };
    return {
      kind: 'unknown',
      missing: [
        { fact: 'host.pinned-size', ask: 'python -c "import torch; print(torch.cuda.host_memory_stats())"; free -m' },
      ],
    };
  },
});
