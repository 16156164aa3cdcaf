import type { Rule } from '../model/rule.ts';

export const frameworkRules: readonly Rule[] = [];
