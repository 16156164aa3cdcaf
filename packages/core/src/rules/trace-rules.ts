import type { Rule } from '../model/rule.ts';
import { ncclStragglerRank } from './application/nccl-straggler-rank.ts';
import { recompilesInSteadyState } from './application/recompiles-in-steady-state.ts';

/** Rules whose fault only a trace of events shows. */
export const traceRules: readonly Rule[] = [ncclStragglerRank, recompilesInSteadyState];
