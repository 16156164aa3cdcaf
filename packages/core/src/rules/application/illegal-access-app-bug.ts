import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { spreadOf } from '../hardware/_spread.ts';
import { stoppedPrograms } from '../hardware/_xids.ts';

/** Xids that a program alone can cause: invalid access, MMU fault, stopped channel (NVIDIA's Xid catalogue). */
const programXids = new Set([13, 31, 43, 45, 68, 69, 109]);

export const illegalAccessAppBug: Rule = defineRule({
  id: 'application/illegal-access-app-bug',
  summary: 'A kernel of the program used an address that is not its own',
  needs: [],
  anyOf: [
    'said.cuda-illegal-memory-access',
    'said.cuda-misaligned-address',
    'said.cuda-illegal-instruction',
    'said.xid-mmu-fault-detail',
    'said.xid-sm-exception-detail',
  ],
  uses: ['gpu.xid'],
  citations: ['cuda-runtime-types', 'xid-catalogue'],
  explains: [
    'application/application-exception',
    'said.pt-*',
    'said.nccl-*',
    'said.cublas-status',
    'said.cudnn-status',
    'said.cuda-*',
    'said.xid-*',
  ],
  check(facts, context) {
    const symptoms = [
      facts['said.cuda-illegal-memory-access'],
      facts['said.cuda-misaligned-address'],
      facts['said.cuda-illegal-instruction'],
      facts['said.xid-mmu-fault-detail'],
      facts['said.xid-sm-exception-detail'],
    ].filter((fact) => fact !== undefined);
    const seen = symptoms.flatMap((fact) => fact.seen.slice(0, 2));
    const xids = context.all('gpu.xid');
    const hardware = xids.filter((fact) => !programXids.has(fact.value.xid));
    if (hardware.length > 0) {
      return {
        kind: 'cleared',
        because: `Xid ${hardware.map((fact) => fact.value.xid).join(', ')} beside it: no program causes that`,
        seen: hardware.flatMap((fact) => fact.seen.slice(0, 1)),
      };
    }
    // Only a line of the kernel log, and a program that worked after it: it speaks of an earlier job.
    const worked = context
      .all('works')
      .find((fact) => !fact.told && fact.order > Math.max(...symptoms.map((each) => each.order)));
    const spoken = symptoms.some((fact) => !fact.id.startsWith('said.xid-'));
    if (!spoken && worked !== undefined && context.all('program.exception').length === 0) {
      return {
        kind: 'cleared',
        because: 'it speaks of an earlier program; the one after it works',
        seen: worked.seen.slice(0, 1),
      };
    }
    const own = xids.filter((fact) => programXids.has(fact.value.xid));
    const spread = spreadOf(context, [...programXids], 'xid', true);
    const message = `a kernel of the program used an illegal address${spread?.text ?? ''}`;
    const remedies = [
      { actor: 'developer', do: 'find the access', command: 'compute-sanitizer --tool memcheck python …' },
      {
        actor: 'developer',
        do: 'check 32-bit offsets, launch bounds and tensors that were freed or moved while a kernel ran',
      },
    ] as const;
    const sanitized = facts['said.cuda-illegal-memory-access']?.seen.some((each) =>
      /Invalid __(?:global|shared|local)__/.test(each.text),
    );
    // One GPU that stops one program after another speaks against the GPU, not against them all.
    const several = stoppedPrograms(context).some((programs) => programs.size >= 3);
    if ((own.length > 0 && !several) || sanitized === true) {
      return {
        kind: 'fault',
        certainty: 'proved',
        message,
        seen: [...seen, ...own.flatMap((fact) => fact.seen.slice(0, 1))],
        remedies,
        weight: 1,
      };
    }
    const weak =
      facts['said.cuda-illegal-memory-access'] === undefined && facts['said.cuda-misaligned-address'] === undefined;
    return {
      kind: 'fault',
      certainty: weak || several ? 'possible' : 'likely',
      message,
      seen,
      remedies,
      missing: [{ fact: 'gpu.xid', ask: 'dmesg -T | grep -E "NVRM: Xid|SXid"' }],
      weight: 1,
    };
  },
});
