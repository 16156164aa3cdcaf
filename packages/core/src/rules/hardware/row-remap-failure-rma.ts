import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { afterwards, gpuOf, loggedXids } from './_xids.ts';

export const rowRemapFailureRma: Rule = defineRule({
  id: 'hardware/row-remap-failure-rma',
  summary: 'The GPU could not replace a faulty memory row: it has to be replaced',
  needs: [],
  anyOf: ['gpu.xid', 'gpu.row-remap', 'said.xid-row-remap-failed'],
  citations: ['xid-catalogue'],
  explains: [...afterwards, 'hardware/uncorrectable-ecc', 'hardware/row-remap-pending-needs-reset'],
  check(facts, context) {
    const xids = loggedXids(context, [64]);
    const block = context.all('gpu.row-remap').find((fact) => fact.value.failed === true);
    const said = facts['said.xid-row-remap-failed'];
    const lead = xids[0];
    if (lead !== undefined || block !== undefined || said !== undefined) {
      return {
        kind: 'fault',
        certainty: 'proved',
        message:
          lead === undefined
            ? 'remapping a faulty memory row failed'
            : `${gpuOf(lead)} could not remap a faulty memory row (Xid 64)`,
        seen: [
          ...xids.flatMap((fact) => fact.seen.slice(0, 1)).slice(0, 3),
          ...(block?.seen ?? []),
          ...(said?.seen.slice(0, 1) ?? []),
        ],
        remedies: [
          { actor: 'cluster-admin', do: 'drain the node and keep jobs off this GPU' },
          {
            actor: 'node-admin',
            do: 'collect the report that the vendor asks for',
            command: 'nvidia-bug-report.sh; nvidia-smi -q -d ROW_REMAPPER',
          },
          { actor: 'vendor', do: 'replace the GPU: a failed remap is a criterion for it' },
        ],
        weight: 5,
      };
    }
    const fine = context.all('gpu.row-remap').find((fact) => fact.value.failed === false);
    if (fine !== undefined) return { kind: 'cleared', because: 'no remapping failure occurred', seen: fine.seen };
    if (facts['gpu.row-remap'] !== undefined) {
      return { kind: 'unknown', missing: [{ fact: 'gpu.row-remap', ask: 'nvidia-smi -q -d ROW_REMAPPER' }] };
    }
    return { kind: 'silent' };
  },
});
