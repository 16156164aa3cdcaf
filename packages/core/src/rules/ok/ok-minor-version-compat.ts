import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { judged } from './_judged.ts';

export const okMinorVersionCompat: Rule = defineRule({
  id: 'ok/ok-minor-version-compat',
  summary:
    'The program is newer than the driver within one CUDA major, and the driver is above the floor of that major',
  needs: [],
  anyOf: ['claim', 'torch.cuda', 'toolkit.runtime'],
  uses: ['driver.version', 'gpu.name'],
  citations: ['cuda-forward-compat', 'cuda-release-notes'],
  check(_, context) {
    const found = judged(context);
    if (found === null) return { kind: 'silent' };
    const { judgement } = found;
    const fits = judgement.rule === 'minor-version';
    if (!fits) return { kind: 'silent' };
    return { kind: 'cleared', because: judgement.message, seen: found.seen, layer: 'driver', weight: 4 };
  },
});
