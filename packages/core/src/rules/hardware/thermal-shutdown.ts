import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, capture, missing, own, said, seen } from '../container-runtime/_container.ts';
import { loggedXids, stoppedByHeat } from './_xids.ts';

export const thermalShutdown: Rule = defineRule({
  id: 'hardware/thermal-shutdown',
  summary: 'A device was switched off for heat, or its cooling has failed',
  needs: [],
  anyOf: ['said.overheat-shutdown', 'gpu.temperature'],
  citations: ['gpu-debug-guide'],
  explains: [
    'hardware/gpu-fell-off-bus-power',
    'hardware/thermal-throttle',
    'said.nvml-*',
    'said.smi-*',
    'said.nvrm-*',
    'said.cuda-*',
    'said.pt-*',
  ],
  check(_facts, context) {
    const reports = said(context, 'overheat-shutdown');
    const stopped = reports.find((fact) => stoppedByHeat(fact));
    const lead = stopped ?? reports[0];
    // Below the limit a GPU that is slowed down is alive: that is another finding.
    const slowed = own(context, 'gpu.clock-reasons').some((fact) =>
      fact.value.active.some((reason) => /Thermal/.test(reason)),
    );
    const hot = own(context, 'gpu.temperature').find(
      (fact) =>
        fact.value.now !== null &&
        fact.value.shutdown !== null &&
        fact.value.now >= fact.value.shutdown - (slowed ? 0 : 2),
    );
    const cool = own(context, 'gpu.temperature').find(
      (fact) => fact.value.now !== null && fact.value.shutdown !== null && fact.value.now < fact.value.shutdown - 10,
    );
    const gone = loggedXids(context, [79])[0];
    const remedies = [
      { actor: 'cluster-admin', do: 'keep the node off' },
      {
        actor: 'node-admin',
        do: 'mend fans, filters, liquid loop or inlet air',
        command:
          'ipmitool sel elist; ipmitool sdr type fan; ipmitool sdr type temperature; nvidia-smi -q -d TEMPERATURE',
      },
    ] as const;
    if (hot !== undefined) {
      return {
        kind: 'fault',
        certainty: byPrint(hot),
        message: `a GPU is at ${hot.value.now} °C; at ${hot.value.shutdown} °C it switches itself off`,
        seen: seen(hot, lead),
        remedies,
        weight: 4,
      };
    }
    if (lead === undefined)
      return cool === undefined
        ? { kind: 'silent' }
        : { kind: 'cleared', because: `the GPU is at ${cool.value.now} °C`, seen: seen(cool) };
    const sensor = capture([lead], 'sensor');
    const off = /shut|off/i.test(lead.seen[0]?.text ?? '') || gone !== undefined;
    return {
      kind: 'fault',
      certainty: stopped !== undefined && gone !== undefined ? byPrint(stopped, gone) : off ? 'likely' : 'possible',
      message: `${sensor === undefined ? 'a device' : sensor.trim()} was too hot${off ? ' and was switched off' : ' or its fan failed'}`,
      seen: seen(lead, gone),
      remedies,
      missing: [missing('temperatures and fans at that time', 'ipmitool sel elist; ipmitool sdr type fan')],
      weight: 5,
    };
  },
});
