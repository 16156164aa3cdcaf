import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';

export const okInjectedError: Rule = defineRule({
  id: 'ok/ok-injected-error',
  summary: 'A test tool made this error on purpose',
  needs: ['program.injected'],
  citations: ['dcgm-structs'],
  check({ 'program.injected': injected }) {
    return {
      kind: 'cleared',
      because: 'the error was made on purpose by a test',
      seen: injected.seen,
      layer: 'hardware',
      weight: 6,
    };
  },
});
