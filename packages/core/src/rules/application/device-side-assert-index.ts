import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';

export const deviceSideAssertIndex: Rule = defineRule({
  id: 'application/device-side-assert-index',
  summary: 'A kernel stopped at its own range check: an index of the program is out of range',
  needs: [],
  anyOf: ['said.cuda-device-side-assert', 'said.cuda-unspecified-launch-failure'],
  citations: ['cuda-runtime-types'],
  explains: [
    'application/application-exception',
    'application/illegal-access-app-bug',
    'said.pt-*',
    'said.nccl-*',
    'said.cublas-status',
    'said.cudnn-status',
    'said.cuda-*',
  ],
  check(facts, context) {
    const all = context.all('said.cuda-device-side-assert').filter((fact) => fact.scope !== 'after-fix');
    const lead = all[0];
    if (lead === undefined) {
      const launch = facts['said.cuda-unspecified-launch-failure'];
      if (launch === undefined) return { kind: 'cleared', because: 'the assertion failed only elsewhere', seen: [] };
      return {
        kind: 'fault',
        certainty: 'possible',
        message: 'a kernel ended abnormally; a failed check of the program is one reason',
        seen: launch.seen,
        remedies: [{ actor: 'developer', do: 'find the kernel', command: 'compute-sanitizer python …' }],
        missing: [
          {
            fact: 'which kernel failed, and how',
            ask: 'CUDA_LAUNCH_BLOCKING=1 python …; dmesg -T | grep -E "NVRM: Xid"',
          },
        ],
        weight: -1,
      };
    }
    const named = all.find((fact) => fact.value.captures['expr'] !== undefined);
    const expression = named?.value.captures['expr'];
    // A check of values (NaN, infinity, probabilities) is no index: the numbers of the model are wrong.
    if (expression !== undefined && values.test(expression)) {
      return {
        kind: 'cleared',
        because: `the assertion is about values: ${expression.slice(0, 120)}`,
        seen: named?.seen ?? [],
      };
    }
    return {
      kind: 'fault',
      // The kernel's own line is the proof; the runtime's "device-side assert triggered" names no condition.
      certainty: named === undefined ? 'likely' : 'proved',
      message:
        expression === undefined
          ? 'a kernel stopped at a device-side assertion'
          : `a kernel stopped at its assertion ${expression}${place(named?.value.captures['file'], named?.value.captures['line'])}`,
      seen: [...(named?.seen.slice(0, 2) ?? []), ...lead.seen.slice(0, 2)],
      remedies: [
        {
          actor: 'developer',
          do: 'run the same step on the CPU, or with launches made synchronous, to see which index it is',
          command: 'CUDA_LAUNCH_BLOCKING=1 python …',
        },
        {
          actor: 'developer',
          do: 'check labels, token ids and gather indices against the size of the table they index',
        },
      ],
      ...(named === undefined
        ? {
            missing: [
              { fact: 'the assertion that failed', ask: 'CUDA_LAUNCH_BLOCKING=1 python … 2>&1 | grep -m1 Assertion' },
            ],
          }
        : {}),
      weight: 2,
    };
  },
});

const values = /\b(?:nan|inf|isfinite|isnan|probabilit|element < 0|input_val)/i;

function place(file: string | undefined, line: string | undefined): string {
  return file === undefined || line === undefined ? '' : ` (${file.slice(file.lastIndexOf('/') + 1)}:${line})`;
}
