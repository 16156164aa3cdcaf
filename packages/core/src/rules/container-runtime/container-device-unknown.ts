import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from './_container.ts';

export const containerDeviceUnknown: Rule = defineRule({
  id: 'container-runtime/container-device-unknown',
  summary: 'The container asks for a GPU that the host does not have',
  needs: [],
  anyOf: ['said.ncc-unknown-device'],
  uses: ['gpu.count', 'env', 'driver.answers'],
  citations: ['container-toolkit-visible-devices'],
  explains: ['said.ncc-*', 'said.oci-hook-failed', 'said.k8s-create-container-error', 'said.nct-*'],
  check(_facts, context) {
    const lead = said(context, 'ncc-unknown-device')[0];
    const device = lead?.value.captures['dev'];
    // MIG devices have a rule of their own.
    if (lead === undefined || device === undefined || /^MIG-|:/.test(device)) return { kind: 'silent' };
    const states = own(context, 'gpu.state').filter((fact) => fact.scope !== 'container');
    const count = own(context, 'gpu.count').find((fact) => fact.scope !== 'container');
    const listed = states.find((fact) => fact.value.uuid === device || String(fact.value.index) === device);
    if (listed !== undefined) return { kind: 'cleared', because: `GPU ${device} is there`, seen: seen(listed) };
    const absent =
      states[0] ??
      (count !== undefined && /^\d{1,3}$/.test(device) && Number(device) >= count.value ? count : undefined);
    return {
      kind: 'fault',
      certainty: absent === undefined ? (lead.told ? 'possible' : 'likely') : byPrint(lead, absent),
      message: `the container asks for GPU ${device}, which the host does not have`,
      seen: seen(lead, absent),
      remedies: [
        {
          actor: 'developer',
          do: 'name a GPU of this host, by index or UUID, or ask for a number of them',
          command: 'nvidia-smi -L; docker run --gpus 1 …',
        },
        {
          actor: 'node-admin',
          do: 'where the GPU should be there, see whether it was lost',
          command: 'dmesg | grep -iE "xid|nvrm"; lspci -d 10de:',
        },
      ],
      missing: absent === undefined ? [missing('gpu.state', 'nvidia-smi -L')] : [],
      weight: 2,
    };
  },
});
