import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, seen } from '../container-runtime/_container.ts';
import { activeReason, clearedReason, gpuNamed, ofGpu } from '../hardware/_clocks.ts';

export const applicationClocksLowered: Rule = defineRule({
  id: 'driver/application-clocks-lowered',
  summary: 'Application clocks are set below what the GPU runs at by default',
  needs: [],
  anyOf: ['gpu.clocks', 'gpu.clock-reasons', 'gpu.throttle'],
  citations: ['nvidia-smi-manual', 'nvml-clock-reasons'],
  check(_facts, context) {
    const reason = activeReason(context, /applications clocks/i);
    const all = own(context, 'gpu.clocks');
    const low = all.find(
      (fact) =>
        fact.value.applications !== null &&
        fact.value.applicationsDefault !== null &&
        fact.value.applications < fact.value.applicationsDefault,
    );
    const usual = all.find(
      (fact) => fact.value.applications !== null && fact.value.applications === fact.value.applicationsDefault,
    );
    const remedies = [
      {
        actor: 'node-admin',
        do: 'take the setting back',
        command: 'nvidia-smi -rac; nvidia-smi -rgc; nvidia-smi -q -d CLOCK',
      },
    ] as const;
    if (low !== undefined) {
      return {
        kind: 'fault',
        certainty: byPrint(low),
        message: `the application clock of ${gpuNamed(low.value.gpu)} is ${low.value.applications} MHz, its default is ${low.value.applicationsDefault} MHz`,
        seen: seen(low, reason),
        remedies,
      };
    }
    if (usual !== undefined)
      return {
        kind: 'cleared',
        because: `application clocks are the default, ${usual.value.applications} MHz`,
        seen: seen(usual),
      };
    if (reason === undefined)
      return clearedReason(context, /applications clocks/i, 'application clocks hold nothing down');
    const set = all.find(
      (fact) =>
        fact.value.applications !== null &&
        fact.value.smMax !== null &&
        fact.value.applications < 0.9 * fact.value.smMax,
    );
    const slow = all.find(
      (fact) => fact.value.sm !== null && fact.value.smMax !== null && fact.value.sm < 0.8 * fact.value.smMax,
    );
    const held = set ?? slow;
    return {
      kind: 'fault',
      certainty: held === undefined ? 'possible' : 'likely',
      message: `application clocks hold the GPU${ofGpu(reason)} down${held === undefined ? '' : ` at ${held.value.applications ?? held.value.sm} of ${held.value.smMax} MHz`}`,
      seen: seen(reason, held),
      remedies,
      missing: [missing('gpu.clocks', 'nvidia-smi -q -d CLOCK')],
    };
  },
});
