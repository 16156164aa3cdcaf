import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';

export const okInjectedError: Rule = defineRule({
  id: 'ok/ok-injected-error',
  summary: 'A test tool made this error on purpose',
  needs: ['program.injected'],
  citations: ['dcgm-structs'],
  check({ 'program.injected': injected }, context) {
    if (context.first('gpu.xid') !== undefined) return { kind: 'silent' };
    return {
      kind: 'cleared',
      because: 'the error was injected by a test; the kernel log shows no Xid',
      seen: injected.seen,
      layer: 'hardware',
      weight: 6,
    };
  },
});
