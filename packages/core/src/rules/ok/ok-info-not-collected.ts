import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { quiet } from './_healthy.ts';

export const okInfoNotCollected: Rule = defineRule({
  id: 'ok/ok-info-not-collected',
  summary: 'A script could not read some versions; CUDA itself is available',
  needs: ['torch.cuda-available'],
  citations: [],
  check({ 'torch.cuda-available': available }, context) {
    if (!available.value || !quiet(context)) return { kind: 'silent' };
    if (context.first('driver.version') !== undefined) return { kind: 'silent' };
    return {
      kind: 'cleared',
      because: 'CUDA is available to torch; the versions that the script could not read are not needed for that',
      seen: available.seen,
      layer: 'framework',
      weight: 1,
    };
  },
});
