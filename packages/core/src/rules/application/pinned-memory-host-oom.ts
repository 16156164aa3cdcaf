import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { captured, own, quote, saidOf } from '../framework/_stack.ts';
import { bytesText } from './_pinned.ts';

export const pinnedMemoryHostOom: Rule = defineRule({
  id: 'application/pinned-memory-host-oom',
  summary: 'Page-locked memory of the program used up the memory of the host or of its container',
  needs: [],
  anyOf: ['said.oom-killer-line', 'said.oom-memcg', 'said.oom-invoked', 'said.exit-137-oomkilled'],
  uses: ['said.pinned-call', 'host.pinned-size'],
  citations: ['cuda-programming-guide', 'kernel-unevictable'],
  explains: [
    'application/application-exception',
    'application/container-memory-limit',
    'said.oom-*',
    'said.exit-137-oomkilled',
    'said.pt-*',
    'said.cuda-*',
  ],
  check(_, context) {
    const killed = saidOf(context, 'oom-killer-line', 'oom-memcg');
    const invoked = saidOf(context, 'oom-invoked');
    const exit = saidOf(context, 'exit-137-oomkilled');
    const lead = killed[0] ?? invoked[0] ?? exit[0];
    if (lead === undefined) return { kind: 'silent' };
    const calls = saidOf(context, 'pinned-call');
    const pinned = own(context, 'host.pinned-size')[0];
    const unevictable = captured(invoked, 'unev');
    // Pages of 4 KiB in the kernel's report.
    const locked = unevictable === undefined ? 0 : Number(unevictable.value) * 4096;
    const anon = captured(killed, 'anon');
    const remedies = [
      { actor: 'developer', do: 'pin less: fewer loader workers, a smaller prefetch factor, smaller staging buffers' },
      {
        actor: 'developer',
        do: 'give the job memory for its pinned buffers beside its own',
        command: 'cat /sys/fs/cgroup/memory.peak',
      },
    ] as const;
    const proof = calls[0] ?? pinned;
    if (locked > 8 * 1024 ** 3) {
      return {
        kind: 'fault',
        certainty: proof === undefined ? 'likely' : 'proved',
        message: `the host ran out of memory with ${bytesText(locked)} that cannot be paged out`,
        seen: quote(5, lead, unevictable?.fact, proof),
        remedies,
        weight: 3,
      };
    }
    if (proof !== undefined) {
      return {
        kind: 'fault',
        certainty: killed.length + invoked.length > 0 ? 'proved' : 'likely',
        message: `the kernel killed the program for want of memory${anon === undefined ? '' : ` (its own pages: ${bytesText(Number(anon.value) * 1024)})`} while it page-locked host memory`,
        seen: quote(5, lead, proof),
        remedies,
        weight: 3,
      };
    }
    if (unevictable !== undefined)
      return {
        kind: 'cleared',
        because: `only ${bytesText(locked)} of the host cannot be paged out`,
        seen: quote(3, unevictable.fact),
      };
    return {
      kind: 'unknown',
      missing: [
        {
          fact: 'memory that is page-locked',
          ask: 'grep -E "Mlocked|Unevictable" /proc/meminfo; grep -i pin_memory *.py',
        },
      ],
    };
  },
});
