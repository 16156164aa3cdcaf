import type { Rule } from '../../model/rule.ts';
import { traceRule } from '../_trace.ts';

export const recompilesInSteadyState: Rule = traceRule({
  id: 'application/recompiles-in-steady-state',
  summary: 'Kernels are compiled or loaded again and again while the program runs',
  citations: ['torch-compile-troubleshooting', 'cuda-programming-guide'],
});
