import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';

export const okCpuOnlyByDesign: Rule = defineRule({
  id: 'ok/ok-cpu-only-by-design',
  summary: 'No GPU is wanted here, and the program makes progress without one',
  needs: ['program.wish'],
  anyOf: ['works', 'health.sign'],
  citations: [],
  check({ 'program.wish': wish, works, 'health.sign': sign }) {
    const progress = works ?? sign;
    if (progress === undefined) return { kind: 'silent' };
    return {
      kind: 'cleared',
      because: 'no GPU is wanted, and the program makes progress without one',
      seen: [...wish.seen.slice(0, 1), ...progress.seen.slice(0, 1)],
      layer: 'application',
      weight: 5,
      explains: [
        'orchestrator/*',
        'container-runtime/*',
        'framework/*',
        'driver/*',
        'host-os/*',
        'image/*',
        'toolkit/*',
      ],
    };
  },
});
