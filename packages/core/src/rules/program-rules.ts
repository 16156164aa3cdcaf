import type { Rule } from '../model/rule.ts';

export const programRules: readonly Rule[] = [];
