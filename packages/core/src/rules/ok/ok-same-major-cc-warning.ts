import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { parseComputeCapability } from '../../versions/compute-capability.ts';
import { quiet } from './_healthy.ts';

export const okSameMajorCcWarning: Rule = defineRule({
  id: 'ok/ok-same-major-cc-warning',
  summary: 'The capability warning has no effect: code for the same major version runs',
  needs: ['torch.capability-range', 'gpu.compute-capability'],
  citations: ['cuda-programming-guide'],
  check({ 'torch.capability-range': range, 'gpu.compute-capability': capability }, context) {
    const highest = parseComputeCapability(range.value.split(/[^\d.]+/).findLast((part) => part !== '') ?? '');
    const gpu = parseComputeCapability(capability.value);
    if (highest === null || gpu === null) return { kind: 'silent' };
    if (gpu.major !== highest.major || gpu.minor <= highest.minor || !quiet(context)) return { kind: 'silent' };
    return {
      kind: 'cleared',
      because: `code for ${highest.major}.${highest.minor} runs on compute capability ${gpu.major}.${gpu.minor}: same major, higher minor`,
      seen: [...range.seen.slice(0, 1), ...capability.seen.slice(0, 1)],
      layer: 'framework',
      weight: 4,
    };
  },
});
