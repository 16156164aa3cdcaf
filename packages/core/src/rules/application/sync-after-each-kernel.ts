import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';

export const syncAfterEachKernel: Rule = defineRule({
  id: 'application/sync-after-each-kernel',
  summary: 'The CPU waits for the GPU after every launch',
  needs: ['env'],
  uses: ['profile.api', 'profile.kernels', 'profile.step', 'util.samples'],
  citations: ['cuda-programming-guide'],
  check(facts, context) {
    const set = context
      .all('env')
      .find((fact) => fact.value.name === 'CUDA_LAUNCH_BLOCKING' && fact.scope !== 'after-fix');
    if (set === undefined) return { kind: 'silent' };
    if (set.value.value !== '1') return { kind: 'cleared', because: 'CUDA_LAUNCH_BLOCKING is not 1', seen: set.seen };
    // With a failure in the text it was set to find it.
    const failed =
      context.said.some((fact) => fact.id.startsWith('said.cuda-')) || context.first('program.exception') !== undefined;
    if (failed) return { kind: 'silent' };
    const measured = facts['profile.api'] ?? facts['profile.kernels'] ?? facts['profile.step'] ?? facts['util.samples'];
    return {
      kind: 'fault',
      certainty: measured === undefined ? 'possible' : set.told ? 'likely' : 'proved',
      message: 'CUDA_LAUNCH_BLOCKING=1 makes every launch wait for its kernel',
      seen: [...set.seen.slice(0, 1), ...(measured?.seen.slice(0, 1) ?? [])],
      remedies: [{ actor: 'developer', do: 'unset it outside of debugging', command: 'unset CUDA_LAUNCH_BLOCKING' }],
      ...(measured === undefined
        ? { missing: [{ fact: 'whether the job is slow', ask: 'nsys profile --stats=true ./app' }] }
        : {}),
      weight: 2,
    };
  },
});
