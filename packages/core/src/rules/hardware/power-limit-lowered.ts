import type { Fact } from '../../model/facts.ts';
import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, seen } from '../container-runtime/_container.ts';
import { activeReasons, gpuNamed, sameGpu } from './_clocks.ts';

const remedies = [
  {
    actor: 'node-admin',
    do: 'find what sets it (a power manager, a script), and set the default again',
    command: 'nvidia-smi -q -d POWER; nvidia-smi -i GPU -pl DEFAULT',
  },
] as const;

/** It draws what it may. */
function isFull(fact: Fact<'gpu.power'>): boolean {
  return fact.value.draw !== null && fact.value.draw >= 0.9 * (fact.value.limit ?? Number.POSITIVE_INFINITY);
}

export const powerLimitLowered: Rule = defineRule({
  id: 'hardware/power-limit-lowered',
  summary: 'The power limit of a GPU is set below its default',
  needs: [],
  anyOf: ['gpu.power'],
  citations: ['nvidia-smi-manual'],
  explains: ['hardware/power-throttle', 'hardware/straggler-gpu'],
  check(_facts, context) {
    const all = own(context, 'gpu.power').filter((fact) => fact.value.limit !== null);
    const low = all.filter(
      (fact) => fact.value.defaultLimit !== null && (fact.value.limit ?? 0) < fact.value.defaultLimit - 1,
    );
    const caps = activeReasons(context, /SW Power Cap/i);
    // The one that also runs into its limit says most.
    const lead = low.find((fact) => caps.some((cap) => sameGpu(cap, fact, context)) || isFull(fact)) ?? low[0];
    if (lead === undefined) {
      const limits = [...new Set(all.map((fact) => fact.value.limit ?? 0))].sort((a, b) => a - b);
      const least = all.find((fact) => fact.value.limit === limits[0]);
      const names = new Set(own(context, 'gpu.name').map((fact) => fact.value));
      if (
        limits.length > 1 &&
        (limits[0] ?? 0) < 0.9 * (limits.at(-1) ?? 0) &&
        least !== undefined &&
        names.size <= 1
      ) {
        return {
          kind: 'fault',
          certainty: 'possible',
          message: `${gpuNamed(least.value.gpu)} is limited to ${least.value.limit} W and others to ${limits.at(-1)} W`,
          seen: seen(
            least,
            all.find((fact) => fact.value.limit === limits.at(-1)),
          ),
          remedies,
          missing: [missing('the default limit', 'nvidia-smi -q -d POWER')],
        };
      }
      const known = all.find((fact) => fact.value.defaultLimit !== null);
      return known === undefined
        ? { kind: 'silent' }
        : { kind: 'cleared', because: `the power limit is the default, ${known.value.limit} W`, seen: seen(known) };
    }
    const capped = caps.find((cap) => sameGpu(cap, lead, context));
    const full = isFull(lead) ? lead : undefined;
    const others = all.find((fact) => fact.value.defaultLimit !== null && fact.value.limit === fact.value.defaultLimit);
    const works = capped ?? full;
    return {
      kind: 'fault',
      // A setting alone slows nobody down.
      certainty: works !== undefined ? byPrint(lead, works) : others !== undefined ? 'likely' : 'possible',
      message: `the power limit of ${gpuNamed(lead.value.gpu)} is ${lead.value.limit} W, its default is ${lead.value.defaultLimit} W`,
      seen: seen(lead, capped, others),
      remedies,
      ...(works === undefined
        ? { missing: [missing('whether the GPU runs into it', 'nvidia-smi -q -d PERFORMANCE,POWER during a job')] }
        : {}),
      weight: 1,
    };
  },
});
