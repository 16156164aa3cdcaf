import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { quiet, works } from './_healthy.ts';

export const okSystemCudnnBesideBundled: Rule = defineRule({
  id: 'ok/ok-system-cudnn-beside-bundled',
  summary: 'A system cuDNN lies beside the one that the wheel brings; the wheel does not load it',
  needs: ['cudnn.file', 'torch.version'],
  citations: ['pytorch-cuda-notes'],
  check({ 'cudnn.file': file }, context) {
    if (works(context).length === 0 || !quiet(context)) return { kind: 'silent' };
    return {
      kind: 'cleared',
      because: 'the listed cuDNN belongs to the system; a torch wheel loads the cuDNN that it brings',
      seen: file.seen.slice(0, 2),
      layer: 'cudnn',
      weight: 2,
    };
  },
});
