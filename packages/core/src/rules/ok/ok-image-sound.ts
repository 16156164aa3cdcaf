import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { seen } from '../container-runtime/_container.ts';
import { unreadPart } from '../image/_scan.ts';

export const okImageSound: Rule = defineRule({
  id: 'ok/ok-image-sound',
  summary: 'All of the image was read, and nothing in it is wrong whatever the node',
  needs: ['image.scanned'],
  uses: ['image.toolkit'],
  citations: [],
  check({ 'image.scanned': scan }, context) {
    const unread = unreadPart(context, 'image.scanned');
    if (unread !== null) return unread;
    if (!scan.value.gpu)
      return {
        kind: 'cleared',
        because: 'nothing of the GPU stack is in this image',
        seen: seen(scan),
        layer: 'image',
      };
    const framework = context
      .all('image.package')
      .find((fact) => /^(?:torch|tensorflow|jaxlib|vllm)$/.test(fact.value.name) && fact.value.cuda !== null);
    const toolkit = context.all('image.toolkit').find((fact) => fact.value.version !== 'unknown');
    const variable = context.all('image.variable').find((fact) => fact.value.name === 'CUDA_VERSION');
    const what =
      framework !== undefined
        ? `${framework.value.name} ${framework.value.version ?? ''} for CUDA ${framework.value.cuda ?? ''}`
        : toolkit !== undefined
          ? `CUDA ${toolkit.value.version}`
          : variable !== undefined
            ? `CUDA ${variable.value.value}`
            : 'CUDA libraries';
    return {
      kind: 'cleared',
      because: `nothing is wrong in the image itself: ${what}, and no driver of its own`,
      seen: seen(scan, framework ?? toolkit ?? variable),
      layer: 'image',
    };
  },
});
