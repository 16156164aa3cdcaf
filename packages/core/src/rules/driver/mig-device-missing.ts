import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';

export const migDeviceMissing: Rule = defineRule({
  id: 'driver/mig-device-missing',
  summary: 'MIG is on and the GPU has no instance, so there is nothing to compute on',
  needs: [],
  anyOf: ['said.mig-no-devices', 'said.slurm-mig-missing', 'said.k8s-plugin-mig-config', 'gpu.mig-mode', 'gpu.state'],
  uses: ['gpu.mig-device', 'said.cuda-no-device', 'said.just-booted'],
  citations: ['mig-user-guide'],
  explains: [
    'said.cuda-*',
    'said.pt-*',
    'said.tf-*',
    'said.k8s-*',
    'said.slurm-*',
    'said.mig-*',
    'application/application-exception',
    'orchestrator/device-plugin-sees-no-gpu',
    'orchestrator/gpu-unallocatable',
    'orchestrator/device-plugin-mig-strategy-wrong',
    'container-runtime/k8s-default-runtime-not-nvidia',
    'framework/*',
  ],
  check(_facts, context) {
    const none = said(context, 'mig-no-devices')[0];
    const slurm = said(context, 'slurm-mig-missing')[0];
    const plugin = said(context, 'k8s-plugin-mig-config').find((fact) =>
      fact.seen.some((each) => /has no MIG devices configured/.test(each.text)),
    );
    // The plugin finds a layout that it cannot take, and nvidia-smi no instance at all.
    const empty = none === undefined ? undefined : said(context, 'k8s-plugin-mig-config')[0];
    const device = own(context, 'gpu.mig-device')[0];
    const on =
      own(context, 'gpu.mig-mode').find((fact) => fact.value.current === true) ??
      own(context, 'gpu.state').find((fact) => /^enabled/i.test(fact.value.mig ?? ''));
    const blind = [
      ...said(
        context,
        'cuda-no-device',
        'pt-no-gpus-available',
        'pt-no-driver',
        'k8s-plugin-no-devices',
        'slurm-gres-count-low',
        'cuda-invalid-device-ordinal',
      ),
      ...own(context, 'torch.cuda-available').filter((fact) => !fact.value),
      ...own(context, 'framework.devices').filter((fact) => fact.value === 0),
    ][0];
    const message = slurm ?? plugin ?? none;
    const asked = blind ?? empty;
    if (device !== undefined && (message === undefined || device.order > message.order))
      return message === undefined && blind === undefined
        ? { kind: 'silent' }
        : { kind: 'cleared', because: `a MIG device is there: ${device.value.profile}`, seen: seen(device) };
    const remedies = [
      {
        actor: 'node-admin',
        do: 'make the instances, with their compute instances',
        command: 'nvidia-smi mig -lgip; nvidia-smi mig -cgi 19,19,19,19,19,19,19 -C',
      },
      {
        actor: 'node-admin',
        do: 'have them made at every boot, before slurmd or the device plugin start: they do not outlive a reset',
        command: 'systemctl enable nvidia-mig-manager',
      },
      { actor: 'node-admin', do: 'or switch MIG off', command: 'nvidia-smi -mig 0' },
    ] as const;
    if (message !== undefined) {
      // nvidia-smi's table shows it of every GPU without instances, also where nobody asked for one.
      const proved = message !== none || asked !== undefined;
      return {
        kind: 'fault',
        certainty: proved ? byPrint(message, asked) : 'possible',
        message: 'MIG mode is on and no MIG device exists',
        seen: seen(asked, message, on),
        remedies,
        missing: proved ? [] : [missing('gpu.mig-device', 'nvidia-smi -L; nvidia-smi mig -lgi')],
        weight: 4,
      };
    }
    if (on === undefined || blind === undefined) return { kind: 'silent' };
    return {
      kind: 'fault',
      certainty: 'possible',
      message: 'MIG mode is on, and the program finds no device: there may be no instance',
      seen: seen(blind, on),
      remedies,
      missing: [missing('gpu.mig-device', 'nvidia-smi -L; nvidia-smi mig -lgi; nvidia-smi mig -lci')],
      weight: 1,
    };
  },
});
