import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { judged } from './_judged.ts';

export const okDriverServesToolkit: Rule = defineRule({
  id: 'ok/ok-driver-serves-toolkit',
  summary: 'The driver serves the CUDA that the program was built with',
  needs: [],
  anyOf: ['claim', 'torch.cuda', 'toolkit.runtime'],
  uses: ['driver.version', 'gpu.name'],
  citations: ['cuda-forward-compat', 'cuda-release-notes'],
  check(_, context) {
    const found = judged(context);
    if (found === null) return { kind: 'silent' };
    const { judgement } = found;
    const fits = judgement.rule !== 'minor-version' && judgement.rule !== 'forward-compat';
    if (!fits) return { kind: 'silent' };
    return { kind: 'cleared', because: judgement.message, seen: found.seen, layer: 'driver', weight: 3 };
  },
});
