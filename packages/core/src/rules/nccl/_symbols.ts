import type { Fact } from '../../model/facts.ts';
import type { RuleContext } from '../../model/rule.ts';
import { packagesNamed, saidOf } from '../framework/_stack.ts';

/** Wheels of one library for two CUDA majors in one environment. */
export interface TwoMajors {
  readonly library: string;
  readonly facts: readonly Fact[];
  readonly text: string;
}

/** Libraries of NVIDIA's wheels that lie there for two CUDA majors: `nvidia-nccl-cu12` beside `nvidia-nccl-cu13`. */
export function twoMajors(context: RuleContext): readonly TwoMajors[] {
  const byLibrary = new Map<string, Map<string, Fact<'package'>>>();
  for (const fact of packagesNamed(
    context,
    /^(?:nvidia-[a-z-]{2,30}-cu\d\d|cupy-cuda\d{2,3}x?|jax-cuda\d\d-(?:plugin|pjrt))$/,
  )) {
    const match = /^(.+?)-cu(?:da)?(\d\d)/.exec(fact.value.name)!;
    const majors = byLibrary.get(match[1]!) ?? new Map<string, Fact<'package'>>();
    if (!majors.has(match[2]!)) majors.set(match[2]!, fact);
    byLibrary.set(match[1]!, majors);
  }
  const listed: readonly TwoMajors[] = [...byLibrary]
    .filter(([, majors]) => majors.size > 1)
    .map(([library, majors]) => ({
      library,
      facts: [...majors.values()],
      text: [...majors.values()].map((fact) => `${fact.value.name} ${fact.value.version}`).join(' and '),
    }));
  if (listed.length > 0) return listed;
  return saidOf(context, 'two-cuda-wheels').map((fact) => {
    const { first, second } = fact.value.captures;
    return {
      library: (first ?? '').replace(/-cu(?:da)?\d\d\w{0,2}/, ''),
      facts: [fact],
      text: `${first} and ${second}`,
    };
  });
}
