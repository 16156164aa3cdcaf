import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';
import { activeReason, clearedReason, gpuNamed, ofGpu, sameGpu, theGpu } from './_clocks.ts';

export const thermalThrottle: Rule = defineRule({
  id: 'hardware/thermal-throttle',
  summary: 'Heat slows the GPU down',
  needs: [],
  anyOf: ['gpu.clock-reasons', 'gpu.throttle', 'said.dcgm-diag-thermal-power', 'gpu.temperature'],
  citations: ['nvml-clock-reasons'],
  explains: [
    'said.gpu-clock-slowdown',
    'said.dcgm-diag-thermal-power',
    'hardware/straggler-gpu',
    'hardware/power-throttle',
  ],
  check(_facts, context) {
    const active = activeReason(context, /thermal/i);
    const test = said(context, 'dcgm-diag-thermal-power').find((fact) => /thermal/i.test(fact.seen[0]?.text ?? ''));
    const hot = own(context, 'gpu.temperature').filter(
      (fact) => fact.value.now !== null && fact.value.slowdown !== null && fact.value.now >= fact.value.slowdown - 1,
    );
    const heat = active === undefined ? hot[0] : hot.find((fact) => sameGpu(active, fact, context));
    const degrees =
      active === undefined
        ? undefined
        : own(context, 'gpu.temperature').find((fact) => fact.value.now !== null && sameGpu(active, fact, context));
    const remedies = [
      {
        actor: 'node-admin',
        do: 'look at fans, filters, inlet air or the liquid loop, and at the neighbours of this GPU',
        command: 'nvidia-smi -q -d TEMPERATURE,PERFORMANCE; ipmitool sdr type fan',
      },
      { actor: 'cluster-admin', do: 'keep long jobs off the node until it is cool' },
    ] as const;
    const lead = active ?? heat ?? test;
    if (lead === undefined) {
      const slow = activeReason(context, /^HW Slowdown$/i);
      const brake = activeReason(context, /power brake/i);
      if (slow === undefined || brake !== undefined)
        return clearedReason(context, /thermal/i, 'no thermal slowdown is active');
      return {
        kind: 'fault',
        certainty: 'possible',
        message: `a hardware slowdown${ofGpu(slow)} is active, and the report does not say why`,
        seen: seen(slow),
        remedies,
        missing: [missing('gpu.temperature', 'nvidia-smi -q -d PERFORMANCE,TEMPERATURE')],
      };
    }
    return {
      kind: 'fault',
      certainty: active !== undefined ? byPrint(active) : 'likely',
      message:
        active !== undefined || heat === undefined
          ? `heat slows ${theGpu(active)} down${degrees?.value.now == null ? '' : ` at ${degrees.value.now} °C`}`
          : `${gpuNamed(heat.value.gpu)} is at ${heat.value.now} °C, where it slows down`,
      seen: seen(active, heat ?? degrees, test),
      remedies,
      ...(active === undefined
        ? { missing: [missing('gpu.clock-reasons', 'nvidia-smi -q -d PERFORMANCE,TEMPERATURE')] }
        : {}),
      weight: 2,
    };
  },
});
