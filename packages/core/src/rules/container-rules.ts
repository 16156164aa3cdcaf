import type { Rule } from '../model/rule.ts';

export const containerRules: readonly Rule[] = [];
