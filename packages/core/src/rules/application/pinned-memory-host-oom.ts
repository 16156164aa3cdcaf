import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { captured, own, quote, saidOf } from '../framework/_stack.ts';
import {
  fullKiB,
  explainedByVictim,
  heldText,
  isService,
  kibText,
  lockedKiB,
  lockedShare,
  oomReports,
  startedSince,
  unaccountedKiB,
  victimText,
} from './_host-memory.ts';
import { pinnedFailures } from './_pinned.ts';

/** Locked memory that is the reason where it is not known how much there is in all. */
const many = 8 * 1024 ** 2;

export const pinnedMemoryHostOom: Rule = defineRule({
  id: 'application/pinned-memory-host-oom',
  summary: 'Page-locked memory of the program used up the memory of the host or of its container',
  needs: [],
  anyOf: ['said.oom-killer-line', 'said.oom-memcg', 'said.oom-invoked', 'said.exit-137-oomkilled', 'os.oom-report'],
  uses: ['said.pinned-call', 'host.pinned-size'],
  citations: ['cuda-programming-guide', 'kernel-unevictable'],
  explains: [
    'application/application-exception',
    'application/container-memory-limit',
    'host-os/host-out-of-memory',
    'said.oom-*',
    'said.exit-137-oomkilled',
    'said.pt-*',
    'said.cuda-*',
  ],
  check(_, context) {
    const report = oomReports(context)[0];
    const killed = saidOf(context, 'oom-killer-line', 'oom-memcg');
    const invoked = saidOf(context, 'oom-invoked');
    const exit = saidOf(context, 'exit-137-oomkilled');
    const lead = report ?? killed[0] ?? invoked[0] ?? exit[0];
    if (lead === undefined) return { kind: 'silent' };
    const calls = saidOf(context, 'pinned-call');
    const size = own(context, 'host.pinned-size')[0];
    const remedies = [
      { actor: 'developer', do: 'pin less: fewer loader workers, a smaller prefetch factor, smaller staging buffers' },
      {
        actor: 'developer',
        do: 'give the job memory for its pinned buffers beside its own',
        command: 'cat /sys/fs/cgroup/memory.peak',
      },
    ] as const;
    const proof = calls[0] ?? size;
    const full = report === undefined ? null : fullKiB(report.value);
    // Without a whole report the one line of it that counts may be there; its pages have 4 KiB.
    const unevictable = captured(invoked, 'unev');
    const locked =
      (report === undefined ? null : lockedKiB(report.value)) ??
      (unevictable === undefined ? null : Number(unevictable.value) * 4);
    const where = report?.value.constraint === 'memcg' ? 'its control group' : 'the host';
    if (
      report !== undefined &&
      proof === undefined &&
      (isService(report.value, context) || startedSince(context, report) !== undefined)
    )
      return { kind: 'silent' };
    if (locked !== null && (full === null ? locked > many : locked >= full * lockedShare)) {
      return {
        kind: 'fault',
        certainty: proof === undefined ? 'likely' : 'proved',
        message: `${where} ran out of memory with ${kibText(locked)}${full === null ? '' : ` of ${kibText(full)}`} that cannot be paged out${report === undefined ? '' : `; ${victimText(report.value)} was killed${heldText(report.value) === '' ? '' : ` and held ${heldText(report.value)}`}`}`,
        seen: quote(6, lead, unevictable?.fact, proof),
        remedies,
        ...(proof === undefined
          ? {
              missing: [
                { fact: 'who locked it', ask: 'grep -E "VmLck|VmPin" /proc/[0-9]*/status | sort -k2 -n | tail' },
              ],
            }
          : {}),
        weight: 3,
      };
    }
    const loose = report === undefined ? null : unaccountedKiB(report.value);
    const hidden = loose !== null && full !== null && loose >= full * lockedShare && loose > many ? loose : null;
    if (proof !== undefined) {
      // A program that grew pins as well; what it pins is not shown to be what was short.
      const grew = report !== undefined && explainedByVictim(report.value) && size === undefined && hidden === null;
      const wasKilled = killed.length + invoked.length > 0 || report !== undefined;
      const amount =
        size !== undefined ||
        calls.some((call) => call.seen.some((each) => /\d ?(?:[GM]i?B|bytes)\b/i.test(each.text)));
      const held = report === undefined ? captured(killed, 'anon')?.value : undefined;
      const own = held === undefined ? (report === undefined ? '' : heldText(report.value)) : kibText(Number(held));
      return {
        kind: 'fault',
        // That a program pins is no proof that it pinned what was short; an amount, or a refused call, is.
        certainty: grew
          ? 'possible'
          : wasKilled && (amount || pinnedFailures(context).length > 0)
            ? 'proved'
            : 'likely',
        message: `the kernel killed ${report === undefined ? 'the program' : victimText(report.value)} for want of memory${own === '' ? '' : ` (it held ${own})`} while it page-locked host memory`,
        seen: quote(6, lead, proof),
        remedies,
        ...(grew
          ? { missing: [{ fact: 'memory that is page-locked', ask: 'grep -E "VmLck|VmPin" /proc/PID/status' }] }
          : {}),
        weight: grew ? -2 : 3,
      };
    }
    if (hidden !== null) {
      return {
        kind: 'fault',
        certainty: 'possible',
        message: `${kibText(hidden)} of the host's ${kibText(full!)} belong to no process, page cache or slab: a driver holds them, as page-locked buffers of CUDA may be held (not confirmed)`,
        seen: quote(6, lead),
        remedies,
        missing: [
          {
            fact: 'memory that is page-locked',
            ask: 'grep -E "VmLck|VmPin|VmRSS" /proc/PID/status; grep -E "Mlocked|Unevictable|Shmem" /proc/meminfo',
          },
        ],
        weight: 0,
      };
    }
    if (locked !== null)
      return {
        kind: 'cleared',
        because: `only ${kibText(locked)}${full === null ? '' : ` of ${kibText(full)}`} of ${where === 'the host' ? 'the host' : 'the group'} cannot be paged out`,
        seen: quote(3, unevictable?.fact ?? lead),
      };
    if (report !== undefined && explainedByVictim(report.value))
      return {
        kind: 'cleared',
        because: `the program's own pages (${kibText(report.value.anonKiB!)}) explain what was full (${kibText(full!)})`,
        seen: quote(3, lead),
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
