import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { missing, seen } from '../container-runtime/_container.ts';
import { gpuOf, loggedXids, stoppedPrograms } from './_xids.ts';
import { spreadOf } from './_spread.ts';

export const gpuFaultsManyPrograms: Rule = defineRule({
  id: 'hardware/gpu-faults-many-programs',
  summary: 'One GPU stops one program after another: suspect the GPU, not the programs',
  needs: [],
  anyOf: ['gpu.xid'],
  citations: ['xid-catalogue'],
  explains: ['application/illegal-access-app-bug', 'said.xid-*', 'said.cuda-*'],
  check(_facts, context) {
    const faults = loggedXids(context, [13, 31, 32, 39, 45, 69, 109]);
    const graver = context
      .all('gpu.xid')
      .find((fact) => [48, 62, 64, 74, 79, 94, 95, 119, 120, 140].includes(fact.value.xid));
    const groups = stoppedPrograms(context);
    const suspect = groups[0];
    const lead = suspect === undefined ? undefined : [...suspect.values()][0];
    if (lead === undefined || suspect === undefined) return { kind: 'silent' };
    if (graver !== undefined)
      return { kind: 'cleared', because: `Xid ${graver.value.xid} says more`, seen: seen(graver) };
    if (suspect.size >= 3 && groups.length === 1) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: `${gpuOf(lead)} stopped ${suspect.size} different programs (${[...suspect.keys()].slice(0, 3).join(', ')})${spreadOf(context, [13, 31, 32, 39, 69], 'xid', true)?.text ?? ''}`,
        seen: seen(...[...suspect.values()].slice(0, 4)),
        remedies: [
          { actor: 'cluster-admin', do: 'drain the GPU' },
          { actor: 'node-admin', do: 'test it', command: 'dcgmi diag -r 3 -i GPU' },
          { actor: 'vendor', do: 'replace it when the test fails, or when the same programs run elsewhere' },
        ],
        missing: [missing('dcgm.test', 'dcgmi diag -r 3 -i GPU')],
        weight: 3,
      };
    }
    if (suspect.size === 2 && groups.length === 1)
      return {
        kind: 'unknown',
        missing: [
          missing('whether the programs fail on other GPUs as well', 'dcgmi diag -r 3 -i GPU; run them on another GPU'),
        ],
      };
    return suspect.size === 1 && (faults.length > 1 || groups.length > 1)
      ? { kind: 'cleared', because: 'it is always the same program', seen: seen(lead) }
      : { kind: 'silent' };
  },
});
