import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { missing, own, said, seen } from '../container-runtime/_container.ts';
import { gpuNamed } from './_clocks.ts';

export const eccOff: Rule = defineRule({
  id: 'hardware/ecc-off',
  summary: 'Error correction is off on a GPU that should have it',
  needs: [],
  anyOf: ['gpu.ecc-mode'],
  citations: ['gpu-memory-errors', 'nvidia-smi-manual'],
  check(_facts, context) {
    const all = own(context, 'gpu.ecc-mode');
    const off = all.filter((fact) => fact.value.current === false);
    const on = all.filter((fact) => fact.value.current === true);
    const lead = off[0];
    if (lead === undefined)
      return on[0] === undefined
        ? { kind: 'silent' }
        : { kind: 'cleared', because: 'error correction is on', seen: seen(on[0]) };
    const wrong = said(context, 'replica-mismatch', 'nonfinite-loss', 'dcgm-diag-compute-failed')[0];
    const returning = lead.value.pending === true;
    return {
      kind: 'fault',
      // A setting alone accuses nobody: a board for graphics is often run so.
      certainty: on.length > 0 || wrong !== undefined ? 'likely' : 'possible',
      message: `error correction is off on ${gpuNamed(lead.value.gpu)}${on.length > 0 ? ', and on for others of this machine' : ''}${returning ? ' until the next reboot' : ''}`,
      seen: seen(lead, on[0], wrong),
      remedies: [
        {
          actor: 'node-admin',
          do: 'switch it on; it takes effect with the next reset',
          command: 'nvidia-smi -i GPU -e 1 && nvidia-smi --gpu-reset -i GPU',
        },
      ],
      missing: [
        missing(
          'whether it is meant to be off',
          'nvidia-smi --query-gpu=index,name,ecc.mode.current,ecc.mode.pending --format=csv on all nodes',
        ),
      ],
      weight: -2,
    };
  },
});
