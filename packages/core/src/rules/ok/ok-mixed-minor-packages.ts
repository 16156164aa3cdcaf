import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { quiet } from './_healthy.ts';

const parts = /^(?:nvidia-)?(?:cuda-|libcu|libnv|cublas|cudnn|nvjitlink|cusparse|cusolver)/;

export const okMixedMinorPackages: Rule = defineRule({
  id: 'ok/ok-mixed-minor-packages',
  summary: 'CUDA packages of several minor releases of one major lie side by side, as they may',
  needs: ['package'],
  citations: ['cuda-release-notes'],
  check(_, context) {
    const cuda = context.all('package').filter((fact) => parts.test(fact.value.name));
    if (cuda.length < 3 || !quiet(context)) return { kind: 'silent' };
    if (context.all('torch.cuda-available').some((fact) => !fact.value)) return { kind: 'silent' };
    const minors = new Set(
      cuda
        .filter((fact) => /^(?:nvidia-)?cuda-|nvjitlink/.test(fact.value.name))
        .map((fact) => fact.value.version.split('.').slice(0, 2).join('.')),
    );
    const majors = new Set([...minors].map((minor) => minor.split('.')[0]));
    if (minors.size < 2 || majors.size !== 1) return { kind: 'silent' };
    return {
      kind: 'cleared',
      because: `CUDA packages of ${[...minors].join(', ')} share one major; libraries of one major work together`,
      seen: cuda.slice(0, 4).flatMap((fact) => fact.seen.slice(0, 1)),
      layer: 'toolkit',
      weight: 2,
    };
  },
});
