import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { afterwards, gpuOf, loggedXids } from './_xids.ts';

export const rowRemapPendingNeedsReset: Rule = defineRule({
  id: 'hardware/row-remap-pending-needs-reset',
  summary: 'A faulty memory row waits for a reset of the GPU to be replaced',
  needs: [],
  anyOf: ['gpu.xid', 'gpu.row-remap', 'said.xid-row-remapper'],
  citations: ['xid-catalogue'],
  explains: afterwards,
  check(facts, context) {
    const remaps = context.all('gpu.row-remap');
    const done = remaps.find((fact) => fact.value.pending === false);
    const pending = remaps.find((fact) => fact.value.pending === true);
    const xids = loggedXids(context, [63]);
    const lead = xids[0];
    if (pending === undefined && done !== undefined) {
      return { kind: 'cleared', because: 'no row remap is pending', seen: done.seen };
    }
    const asked = [...xids.flatMap((fact) => fact.seen), ...(facts['said.xid-row-remapper']?.seen ?? [])].some((each) =>
      /reset gpu to activate|reboot to activate|pending/i.test(each.text),
    );
    const remedies = [
      { actor: 'cluster-admin', do: 'drain the GPU; running work may go on, its page was offlined' },
      {
        actor: 'node-admin',
        do: 'reset the GPU, then check that nothing is pending',
        command: 'nvidia-smi --gpu-reset -i INDEX && nvidia-smi -q -d ROW_REMAPPER',
      },
    ] as const;
    if (pending !== undefined || (lead !== undefined && asked)) {
      return {
        kind: 'fault',
        certainty: 'proved',
        message:
          lead === undefined
            ? 'a row remap is pending and takes effect at the next reset'
            : `${gpuOf(lead)} waits for a reset to replace a faulty memory row (Xid 63)`,
        seen: [...(pending?.seen ?? []), ...xids.flatMap((fact) => fact.seen.slice(0, 1)).slice(0, 3)],
        remedies,
        // The error itself leads where a log tells of it; a mere counter of errors follows from the row.
        explains: loggedXids(context, [48, 94, 95, 140, 171, 172]).length > 0 ? [] : ['hardware/uncorrectable-ecc'],
        weight: 3,
      };
    }
    const weak = lead ?? facts['said.xid-row-remapper'];
    if (weak === undefined) return { kind: 'silent' };
    return {
      kind: 'fault',
      certainty: lead === undefined ? 'possible' : 'likely',
      message: 'a memory row was marked for replacement',
      seen: weak.seen,
      remedies,
      missing: [{ fact: 'gpu.row-remap', ask: 'nvidia-smi -q -d ROW_REMAPPER' }],
    };
  },
});
