import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';

export const okActorWithoutGpuByDesign: Rule = defineRule({
  id: 'ok/ok-actor-without-gpu-by-design',
  summary: 'Helper processes see no GPU while the process that needs one has it',
  needs: [],
  anyOf: [
    'said.cuda-no-device',
    'said.pt-no-gpus-available',
    'said.tf-no-cuda-drivers',
    'said.cuda-unknown-error',
    'torch.cuda-available',
  ],
  citations: [],
  check(_, context) {
    const said = context.said.filter((fact) =>
      [
        'said.cuda-no-device',
        'said.pt-no-gpus-available',
        'said.tf-no-cuda-drivers',
        'said.cuda-unknown-error',
      ].includes(fact.id),
    );
    const blind = [...said, ...context.all('torch.cuda-available').filter((fact) => !fact.value)];
    const actors = new Set(blind.map((fact) => fact.origin.unit));
    if (actors.has(undefined) || blind.length === 0) return { kind: 'silent' };
    // Another actor of the same job has its GPU; a program that merely goes on without one is no proof.
    const seeing = context
      .all('works')
      .find(
        (fact) => (fact.value.layer === 'framework' || fact.value.layer === 'driver') && !actors.has(fact.origin.unit),
      );
    const named = context
      .all('gpu.name')
      .find((fact) => fact.origin.unit !== undefined && !actors.has(fact.origin.unit));
    const other = seeing ?? named;
    if (other === undefined) return { kind: 'silent' };
    return {
      kind: 'cleared',
      because: `${[...actors].join(', ')} got no GPU from the scheduler; the process that computes has one`,
      seen: [...blind.flatMap((fact) => fact.seen.slice(0, 1)), ...other.seen.slice(0, 1)],
      layer: 'orchestrator',
      weight: 6,
      explains: [
        'orchestrator/*',
        'container-runtime/*',
        'framework/*',
        'driver/*',
        'host-os/*',
        'image/*',
        'toolkit/*',
      ],
    };
  },
});
