import type { Rule } from '../model/rule.ts';

export const driverRules: readonly Rule[] = [];
