import type { Rule } from '../model/rule.ts';
import { collectiveHang } from './application/collective-hang.ts';
import { rankEndedFirst } from './application/rank-ended-first.ts';

/** Rules about jobs of several processes. */
export const jobRules: readonly Rule[] = [collectiveHang, rankEndedFirst];
