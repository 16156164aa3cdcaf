import type { Fact } from '../../model/facts.ts';
import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { missing, own, said, seen } from '../container-runtime/_container.ts';
import { activeReasons, clearedReason, sameGpu, theGpu } from './_clocks.ts';

export const powerThrottle: Rule = defineRule({
  id: 'hardware/power-throttle',
  summary: 'The GPU is held far below its clocks by its power cap',
  needs: [],
  anyOf: ['gpu.clock-reasons', 'gpu.throttle', 'said.dcgm-diag-thermal-power'],
  citations: ['nvml-clock-reasons'],
  check(_facts, context) {
    const caps = activeReasons(context, /SW Power Cap/i);
    const test = said(context, 'dcgm-diag-thermal-power').find((fact) =>
      /power violation/i.test(fact.seen[0]?.text ?? ''),
    );
    // Reason, clock and power of one GPU: an idle neighbour's low clock says nothing.
    const slowOf = (cap: (typeof caps)[number]): Fact<'gpu.clocks'> | undefined =>
      own(context, 'gpu.clocks').find(
        (fact) =>
          fact.value.sm !== null &&
          fact.value.smMax !== null &&
          fact.value.sm < 0.6 * fact.value.smMax &&
          sameGpu(cap, fact, context),
      );
    const powerOf = (cap: (typeof caps)[number]): Fact<'gpu.power'> | undefined =>
      own(context, 'gpu.power').find(
        (fact) => fact.value.draw !== null && fact.value.limit !== null && sameGpu(cap, fact, context),
      );
    const isLow = (fact: Fact<'gpu.power'> | undefined): boolean =>
      fact !== undefined && (fact.value.draw ?? 0) < 0.7 * (fact.value.limit ?? 0);
    const capped = caps.find((cap) => slowOf(cap) !== undefined) ?? caps.find((cap) => isLow(powerOf(cap))) ?? caps[0];
    const slow = capped === undefined ? undefined : slowOf(capped);
    const power = capped === undefined ? undefined : powerOf(capped);
    const lowDraw = isLow(power) ? power : undefined;
    const remedies = [
      {
        actor: 'node-admin',
        do: 'see what holds the power down',
        command: 'nvidia-smi -q -d POWER,CLOCK,PERFORMANCE,TEMPERATURE',
      },
      { actor: 'cluster-admin', do: 'look at caps of the chassis or rack, and at power smoothing profiles' },
    ] as const;
    if (capped === undefined && test === undefined)
      return clearedReason(context, /SW Power Cap/i, 'the power cap is not active');
    if (capped !== undefined && slow !== undefined) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: `the power cap holds ${theGpu(capped)} at ${slow.value.sm} of ${slow.value.smMax} MHz`,
        seen: seen(capped, slow, power),
        remedies,
        missing: [
          missing(
            'whether the other GPUs hold their clocks at the same load',
            'nvidia-smi --query-gpu=index,clocks.sm,power.draw,power.limit,clocks_event_reasons.active --format=csv',
          ),
        ],
      };
    }
    if (capped !== undefined && lowDraw !== undefined) {
      return {
        kind: 'fault',
        certainty: 'possible',
        message: `the power cap of ${theGpu(capped)} is active at ${lowDraw.value.draw} W of ${lowDraw.value.limit} W`,
        seen: seen(capped, lowDraw),
        remedies,
        missing: [missing('gpu.clocks', 'nvidia-smi -q -d CLOCK,POWER,PERFORMANCE')],
      };
    }
    if (test !== undefined && capped === undefined) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: 'DCGM found that power slows a GPU down',
        seen: seen(test),
        remedies,
        missing: [missing('gpu.clock-reasons', 'nvidia-smi -q -d PERFORMANCE,POWER')],
      };
    }
    return {
      kind: 'cleared',
      because: 'the GPU works at its power limit, as a busy GPU does',
      seen: seen(capped, power),
    };
  },
});
