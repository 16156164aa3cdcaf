import type { Rule } from '../model/rule.ts';

export const hardwareRules: readonly Rule[] = [];
