import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, capture, missing, own, said, seen } from '../container-runtime/_container.ts';

export const inforomCorrupt: Rule = defineRule({
  id: 'hardware/inforom-corrupt',
  summary: 'The InfoROM of a GPU is damaged',
  needs: [],
  anyOf: ['said.nvml-corrupt-inforom', 'dcgm.test', 'dcgm.health'],
  uses: ['works'],
  citations: ['nvml-header', 'gpu-debug-guide'],
  check(_facts, context) {
    const lead = said(context, 'nvml-corrupt-inforom')[0];
    const failed =
      own(context, 'dcgm.test').find((fact) => /inforom/i.test(fact.value.test) && fact.value.status === 'fail') ??
      own(context, 'dcgm.health').find(
        (fact) => /inforom/i.test(fact.value.system) && !/^healthy$/i.test(fact.value.status),
      );
    const passed = own(context, 'dcgm.test').find(
      (fact) => /inforom/i.test(fact.value.test) && fact.value.status === 'pass',
    );
    const works = own(context, 'works').find((fact) => !fact.told);
    if (lead === undefined && failed === undefined) {
      return passed === undefined
        ? { kind: 'silent' }
        : { kind: 'cleared', because: 'the test of the InfoROM passed', seen: seen(passed) };
    }
    if (failed === undefined && passed !== undefined)
      return { kind: 'cleared', because: 'the test of the InfoROM passed', seen: seen(passed) };
    const pci = lead === undefined ? undefined : capture([lead], 'pci');
    return {
      kind: 'fault',
      // Programs run in spite of it; what is lost is what the board remembers of its errors.
      certainty:
        works !== undefined && failed === undefined
          ? 'possible'
          : failed === undefined
            ? 'likely'
            : byPrint(failed, lead),
      message: `the InfoROM of the GPU${pci === undefined ? '' : ` at ${pci}`} is damaged`,
      seen: seen(lead, failed),
      remedies: [
        {
          actor: 'node-admin',
          do: 'power-cycle the node; often the warning is gone then',
          command: 'nvidia-smi -q | grep -A8 -i inforom; dcgmi diag -r 1',
        },
        {
          actor: 'vendor',
          do: 'restore the InfoROM or replace the board when it stays: the history of errors and remapped rows lies there',
        },
      ],
      ...(failed === undefined
        ? {
            missing: [
              missing('whether it stays after a power-cycle', 'dcgmi diag -r 1; nvidia-smi -q | grep -A8 -i inforom'),
            ],
          }
        : {}),
      weight: -3,
    };
  },
});
