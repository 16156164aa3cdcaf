import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { quote } from '../framework/_stack.ts';
import { mapLimit, pinnedFailures, registeredCount } from './_pinned.ts';

export const pinnedRegistrationCountLimit: Rule = defineRule({
  id: 'application/pinned-registration-count-limit',
  summary: 'Too many pieces of host memory are registered with CUDA',
  needs: [],
  anyOf: ['said.host-register-failed', 'said.cuda-host-register-limits', 'said.cuda-oom-runtime'],
  uses: ['said.pinned-call', 'said.max-map-count', 'said.pinned-segment-count'],
  citations: ['cuda-runtime-api', 'kernel-sysctl-vm'],
  explains: [
    'application/application-out-of-memory',
    'application/application-exception',
    'application/pinned-alloc-fails-host-limit',
    'said.cuda-*',
    'said.host-register-failed',
    'said.pt-*',
  ],
  check(_, context) {
    const failure = pinnedFailures(context)[0];
    if (failure === undefined) return { kind: 'silent' };
    const count = registeredCount(context);
    const limit = mapLimit(context);
    const most = limit?.limit ?? 65_530;
    const remedies = [
      {
        actor: 'developer',
        do: 'register few large pieces instead of many small ones: one pool, cut up by the program',
      },
      {
        actor: 'node-admin',
        do: 'raise the number of mappings that a process may have',
        command: 'sysctl -w vm.max_map_count=1048576',
      },
    ] as const;
    if (count !== null && count.count >= most * 0.45) {
      return {
        kind: 'fault',
        // Each registration takes a mapping, and several processes or ranks share some of the driver's.
        certainty: count.facts.every((fact) => fact.told) || count.count < most * 0.9 ? 'likely' : 'proved',
        message: `registering host memory failed with ${count.count} pieces registered; the limit of mappings is ${most}`,
        seen: quote(6, failure.fact, ...count.facts.slice(0, 3), limit?.fact),
        remedies,
        weight: 4,
      };
    }
    if (count !== null)
      return {
        kind: 'cleared',
        because: `${count.count} registered pieces are far below the limit of ${most} mappings`,
        seen: quote(3, ...count.facts),
      };
    if (failure.registers && limit !== null) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: `registering host memory failed; the limit of mappings is ${most}`,
        seen: quote(5, failure.fact, limit.fact),
        remedies,
        missing: [{ fact: 'number of registrations', ask: 'wc -l /proc/PID/maps' }],
        weight: 4,
      };
    }
    return failure.registers
      ? {
          kind: 'unknown',
          missing: [{ fact: 'number of registrations', ask: 'wc -l /proc/PID/maps; sysctl vm.max_map_count' }],
        }
      : { kind: 'silent' };
  },
});
