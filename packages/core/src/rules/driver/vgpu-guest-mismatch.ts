import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, capture, missing, own, said, seen } from '../container-runtime/_container.ts';

export const vgpuGuestMismatch: Rule = defineRule({
  id: 'driver/vgpu-guest-mismatch',
  summary: 'Driver of the guest and vGPU manager of the host are of releases that do not go together',
  needs: [],
  anyOf: ['said.vgpu-guest-refused', 'said.vgpu-manager-release'],
  uses: ['driver.answers'],
  citations: ['vgpu-release-notes'],
  explains: [
    'said.vgpu-guest-refused',
    'said.nvml-*',
    'said.smi-*',
    'said.cuda-*',
    'said.nvrm-*',
    'driver/vgpu-licence-missing',
  ],
  check(_facts, context) {
    const refused = said(context, 'vgpu-guest-refused').at(-1);
    const releases = said(context, 'vgpu-manager-release');
    if (refused === undefined) {
      const host = releases.find((fact) => fact.value.captures['whose'] !== undefined);
      return host === undefined
        ? { kind: 'silent' }
        : {
            kind: 'unknown',
            missing: [
              missing('said.vgpu-guest-refused', 'journalctl -u nvidia-vgpu-mgr | grep -iE "error|incompatible"'),
            ],
          };
    }
    const answers = own(context, 'driver.answers').find((fact) => fact.order > refused.order);
    if (answers !== undefined)
      return { kind: 'cleared', because: 'the driver of the guest answers since', seen: seen(answers) };
    const why = capture([refused], 'why', 'why2') ?? '';
    return {
      kind: 'fault',
      certainty: byPrint(refused),
      message: `the vGPU manager of the host switches the vGPU off: ${/older/.test(why) ? 'the driver of the guest is too old for it' : /newer/.test(why) ? 'the driver of the guest is too new for it' : 'it does not work with the driver of the guest'}`,
      seen: seen(refused, ...releases.slice(-2)),
      remedies: [
        {
          actor: 'node-admin',
          do: 'install in the guest the driver of the vGPU release that the manager belongs to, or bring the manager to that of the guest',
          command: 'nvidia-smi vgpu -q   # on the host; in the guest: nvidia-smi',
        },
      ],
      weight: 3,
    };
  },
});
