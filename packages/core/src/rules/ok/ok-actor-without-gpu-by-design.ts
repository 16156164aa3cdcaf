import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';

export const okActorWithoutGpuByDesign: Rule = defineRule({
  id: 'ok/ok-actor-without-gpu-by-design',
  summary: 'Helper processes see no GPU while the process that needs one has it',
  needs: ['works'],
  anyOf: ['said.cuda-no-device', 'said.pt-no-gpus-available', 'said.tf-no-cuda-drivers', 'said.cuda-unknown-error'],
  citations: [],
  check(_, context) {
    const blind = context.said.filter((fact) =>
      [
        'said.cuda-no-device',
        'said.pt-no-gpus-available',
        'said.tf-no-cuda-drivers',
        'said.cuda-unknown-error',
      ].includes(fact.id),
    );
    const actors = new Set(blind.map((fact) => fact.origin.unit));
    if (actors.has(undefined) || blind.length === 0) return { kind: 'silent' };
    // Another actor of the same job has its GPU; a program that merely goes on without one is no proof.
    const seeing = context
      .all('works')
      .find(
        (fact) => (fact.value.layer === 'framework' || fact.value.layer === 'driver') && !actors.has(fact.origin.unit),
      );
    if (seeing === undefined) return { kind: 'silent' };
    return {
      kind: 'cleared',
      because: `${[...actors].join(', ')} got no GPU from the scheduler; the process that computes has one`,
      seen: [...blind.flatMap((fact) => fact.seen.slice(0, 1)), ...seeing.seen.slice(0, 1)],
      layer: 'orchestrator',
      weight: 6,
    };
  },
});
