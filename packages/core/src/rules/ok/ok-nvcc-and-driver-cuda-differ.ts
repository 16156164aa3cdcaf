import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { compareCuda, parseCuda } from '../../versions/cuda.ts';
import { printed, quiet } from './_healthy.ts';

export const okNvccAndDriverCudaDiffer: Rule = defineRule({
  id: 'ok/ok-nvcc-and-driver-cuda-differ',
  summary: 'The toolkit on the path, the build and the driver name different CUDA versions, as they may',
  needs: [],
  anyOf: ['toolkit.nvcc', 'toolkit.installed'],
  uses: ['driver.cuda', 'torch.cuda'],
  citations: ['cuda-forward-compat'],
  check(_, context) {
    const toolkit = printed(context, 'toolkit.nvcc') ?? printed(context, 'toolkit.installed');
    const other = printed(context, 'driver.cuda') ?? printed(context, 'torch.cuda');
    if (toolkit === undefined || other === undefined || typeof other.value !== 'string' || !quiet(context))
      return { kind: 'silent' };
    const a = parseCuda(toolkit.value);
    const b = parseCuda(other.value);
    if (a === null || b === null || compareCuda(a, b) === 0) return { kind: 'silent' };
    if (context.all('torch.cuda-available').some((fact) => !fact.value)) return { kind: 'silent' };
    return {
      kind: 'cleared',
      because: `nvcc names the installed toolkit (${toolkit.value}), ${other.id === 'driver.cuda' ? 'nvidia-smi the newest CUDA that the driver serves' : 'torch the CUDA it was built with'} (${other.value}); they need not be equal`,
      seen: [...toolkit.seen.slice(0, 1), ...other.seen.slice(0, 1)],
      layer: 'toolkit',
      weight: 3,
    };
  },
});
