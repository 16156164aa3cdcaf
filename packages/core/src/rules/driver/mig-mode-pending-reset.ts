import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';
import { gpuNamed } from '../hardware/_clocks.ts';

export const migModePendingReset: Rule = defineRule({
  id: 'driver/mig-mode-pending-reset',
  summary: 'A change of the MIG mode waits for a reset of the GPU',
  needs: [],
  anyOf: ['gpu.mig-mode', 'said.mig-mode-pending'],
  uses: ['gpu.processes', 'gpu.holders'],
  citations: ['mig-user-guide'],
  explains: [
    'said.mig-*',
    'said.cuda-no-device',
    'said.cuda-invalid-device-ordinal',
    'said.pt-no-gpus-available',
    'driver/mig-device-missing',
    'application/mig-visible-devices-wrong',
    'orchestrator/device-plugin-mig-strategy-wrong',
    'said.k8s-plugin-mig-config',
  ],
  check(_facts, context) {
    const waiting = own(context, 'gpu.mig-mode').find(
      (fact) => fact.value.current !== null && fact.value.pending !== null && fact.value.current !== fact.value.pending,
    );
    const message = said(context, 'mig-mode-pending')[0];
    const settled = own(context, 'gpu.mig-mode').find(
      (fact) => fact.value.current !== null && fact.value.current === fact.value.pending,
    );
    const holders = [...own(context, 'gpu.holders'), ...own(context, 'gpu.processes')].find(
      (fact) => fact.value.length > 0,
    );
    const word = (on: boolean): string => (on ? 'enabled' : 'disabled');
    if (waiting === undefined && message === undefined)
      return settled === undefined
        ? { kind: 'silent' }
        : {
            kind: 'cleared',
            because: `MIG mode is ${word(settled.value.current!)}, and no change of it waits`,
            seen: seen(settled),
          };
    if (waiting === undefined && settled !== undefined && settled.order > message!.order)
      return { kind: 'cleared', because: 'the change of the MIG mode took effect', seen: seen(settled) };
    const refused = message?.seen.some((each) => /Not Supported/i.test(each.text)) === true;
    return {
      kind: 'fault',
      certainty: waiting === undefined ? (refused ? 'possible' : 'likely') : byPrint(waiting),
      message:
        waiting === undefined
          ? 'a change of the MIG mode is pending: the GPU was not reset'
          : `MIG mode is ${word(waiting.value.current!)} and ${word(waiting.value.pending!)} only after a reset${waiting.value.gpu === null ? '' : ` of ${gpuNamed(waiting.value.gpu)}`}`,
      seen: seen(waiting, message, holders),
      remedies: [
        {
          actor: 'cluster-admin',
          do: 'drain the node: DCGM, the device plugin and other monitors hold the GPU as well',
        },
        {
          actor: 'node-admin',
          do: 'end what holds the GPU',
          command: 'systemctl stop nvidia-dcgm nvidia-persistenced; fuser -v /dev/nvidia*',
        },
        { actor: 'node-admin', do: 'reset the GPU, or reboot', command: 'nvidia-smi --gpu-reset -i 0' },
      ],
      missing:
        waiting === undefined
          ? [missing('gpu.mig-mode', 'nvidia-smi --query-gpu=index,mig.mode.current,mig.mode.pending --format=csv')]
          : [],
      weight: 3,
    };
  },
});
