import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, seen } from '../container-runtime/_container.ts';
import { activeReason, activeReasons, clearedReason, ofGpu, sameGpu, theGpu } from './_clocks.ts';

export const powerBrakeSlowdown: Rule = defineRule({
  id: 'hardware/power-brake-slowdown',
  summary: 'The chassis tells the GPU to slow down',
  needs: [],
  anyOf: ['gpu.clock-reasons', 'gpu.throttle'],
  citations: ['nvml-clock-reasons'],
  explains: ['said.gpu-clock-slowdown', 'hardware/straggler-gpu', 'hardware/power-throttle'],
  check(_facts, context) {
    const brake = activeReason(context, /power brake/i);
    const hot = activeReasons(context, /thermal/i);
    const slow = activeReasons(context, /^HW Slowdown$/i).find(
      (fact) => !hot.some((heat) => sameGpu(heat, fact, context)),
    );
    const remedies = [
      {
        actor: 'node-admin',
        do: 'look at the power supplies and their cables, and at the power cap of the chassis',
        command: 'ipmitool sdr type "Power Supply"; ipmitool sel elist; nvidia-smi -q -d PERFORMANCE,POWER',
      },
      { actor: 'cluster-admin', do: 'keep jobs off the node' },
    ] as const;
    if (brake !== undefined) {
      return {
        kind: 'fault',
        certainty: byPrint(brake),
        message: `the power brake of the chassis slows ${theGpu(brake)} down`,
        seen: seen(brake),
        remedies,
        weight: 2,
      };
    }
    if (slow !== undefined) {
      return {
        kind: 'fault',
        certainty: 'possible',
        message: `a hardware slowdown${ofGpu(slow)} is active, and the report does not say why`,
        seen: seen(slow),
        remedies,
        missing: [missing('gpu.clock-reasons', 'nvidia-smi -q -d PERFORMANCE,TEMPERATURE,POWER')],
      };
    }
    return clearedReason(context, /power brake/i, 'the power brake is not active');
  },
});
