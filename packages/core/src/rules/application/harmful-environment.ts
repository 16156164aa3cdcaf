import type { Fact } from '../../model/facts.ts';
import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { harmfulVariables } from './_variables.ts';

/** Variables that slow down nearly every program that runs with them. */
const everywhere: ReadonlySet<string> = new Set([
  'CUDA_LAUNCH_BLOCKING',
  'PYTORCH_NO_CUDA_MEMORY_CACHING',
  'NVIDIA_TF32_OVERRIDE',
  'CUDA_FORCE_PTX_JIT',
]);

export const harmfulEnvironment: Rule = defineRule({
  id: 'application/harmful-environment',
  summary: 'A variable of the environment makes a healthy stack slow',
  needs: ['env'],
  uses: [
    'profile.variable-effect',
    'program.cured-by',
    'program.slow',
    'profile.step',
    'profile.api',
    'nccl.transport',
  ],
  citations: ['cuda-environment-variables', 'nccl-env'],
  check(_, context) {
    // What the run needs to go well at all is a way round a failure, and not what is wrong.
    const cures = new Set(context.all('program.cured-by').map((fact) => fact.value.name));
    const set = context
      .all('env')
      .filter((fact) => fact.scope !== 'other-host' && fact.scope !== 'after-fix' && !cures.has(fact.value.name));
    // The same command timed with and without a variable: the best proof there is.
    for (const effect of context.all('profile.variable-effect')) {
      const { name, rate, with: withIt, without } = effect.value;
      const variable = set.find((fact) => fact.value.name === name);
      if (variable === undefined) continue;
      const factor = rate ? without / withIt : withIt / without;
      const known = harmfulVariables.find((each) => each.name === name);
      if (factor >= 1.2) {
        return {
          kind: 'fault',
          certainty: known === undefined || !effect.value.same ? 'likely' : 'proved',
          message: `${name}=${short(variable)} makes the program ${factor.toFixed(1)} times slower${known === undefined ? '' : `: it ${known.does}`}`,
          seen: [...effect.seen.slice(0, 2), ...variable.seen.slice(0, 1)],
          remedies: remediesFor(name),
          weight: 4,
        };
      }
      if (known !== undefined && effect.value.same && factor < 1.05)
        return { kind: 'cleared', because: `${name} makes no difference here`, seen: effect.seen.slice(0, 2) };
    }
    for (const known of harmfulVariables) {
      const variable = set.find((fact) => fact.value.name === known.name && known.value.test(fact.value.value.trim()));
      if (variable === undefined) continue;
      const shown = known.shownBy(context);
      if (shown === undefined) continue;
      return {
        kind: 'fault',
        // The word alone says nothing of what is slow; of these variables only few slow down every program.
        certainty: shown.id === 'program.slow' && !everywhere.has(known.name) ? 'possible' : 'likely',
        message: `the program is slow, and ${known.name}=${short(variable)} ${known.does}`,
        seen: [...variable.seen.slice(0, 1), ...shown.seen.slice(0, 1)],
        remedies: remediesFor(known.name),
        missing: [{ fact: 'the speed without it', ask: `env -u ${known.name} COMMAND` }],
        weight: 0,
      };
    }
    const debugging = harmfulVariables
      .map((known) => set.find((fact) => fact.value.name === known.name && known.value.test(fact.value.value.trim())))
      .find((fact) => fact !== undefined);
    const slow = context.first('program.slow');
    if (slow !== undefined && debugging === undefined)
      return {
        kind: 'cleared',
        because: 'no variable that is known to slow a program down is set',
        seen: set[0]?.seen.slice(0, 1) ?? [],
      };
    // Set in a run that failed or that nobody calls slow: a debugging aid, no fault.
    if (debugging === undefined || context.all('util.samples').every((fact) => fact.value.sm.mean >= 50))
      return { kind: 'silent' };
    return {
      kind: 'unknown',
      missing: [{ fact: 'the speed with and without it', ask: `env -u ${debugging.value.name} COMMAND` }],
    };
  },
});

function short(fact: Fact<'env'>): string {
  return fact.value.value.slice(0, 60);
}

function remediesFor(
  name: string,
): readonly { readonly actor: 'developer'; readonly do: string; readonly command?: string }[] {
  return [
    {
      actor: 'developer',
      do: 'take it out of the job script, the image and the pod, and time the run again',
      command: `unset ${name}`,
    },
    { actor: 'developer', do: 'if it was set to get round a failure, mend that failure instead' },
  ];
}
