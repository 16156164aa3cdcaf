import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { printed, quiet, works } from './_healthy.ts';

const signs = [
  'works',
  'driver.answers',
  'gpu.name',
  'driver.version',
  'driver.module',
  'torch.version',
  'framework.version',
  'nccl.init-complete',
  'k8s.resource',
  'gpu.state',
  'torch.arch-list',
  'gpu.compute-capability',
  'gpu.row-remap',
] as const;

export const okNothingWrong: Rule = defineRule({
  id: 'ok/ok-nothing-wrong',
  summary: 'Nothing in this text failed',
  needs: [],
  anyOf: signs,
  uses: ['package', 'torch.cuda-available', 'framework.devices'],
  citations: [],
  check(facts, context) {
    // "CUDA available: False" is a failure of somebody's wish, even where no message says so.
    if (context.all('torch.cuda-available').some((fact) => !fact.value)) return { kind: 'silent' };
    if (printed(context, 'driver.cuda-missing') !== undefined) return { kind: 'silent' };
    if (context.all('gpu.row-remap').some((fact) => fact.value.pending === true || fact.value.failed === true))
      return { kind: 'silent' };
    if (!quiet(context)) return { kind: 'silent' };
    const worked = works(context)[0];
    if (worked !== undefined) {
      return {
        kind: 'cleared',
        because: `nothing failed here: ${worked.value.what}`,
        seen: worked.seen,
        layer: worked.value.layer,
        weight: 0,
      };
    }
    const sign = signs.map((id) => printed(context, id)).find((fact) => fact !== undefined);
    if (sign === undefined) return { kind: 'silent' };
    return {
      kind: 'cleared',
      because: 'the text shows a set-up in which nothing failed',
      seen: sign.seen,
      layer: 'driver',
      weight: -1,
    };
  },
});
