import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, noGpuConsequences, own, said, seen } from '../container-runtime/_container.ts';

export const selinuxApparmorDeniesDevice: Rule = defineRule({
  id: 'host-os/selinux-apparmor-denies-device',
  summary: 'SELinux or AppArmor keeps the program from the device nodes of the driver',
  needs: [],
  anyOf: [
    'said.security-module-denied',
    'os.access-denied',
    'said.nvml-insufficient-permissions',
    'said.device-node-denied',
  ],
  uses: ['os.selinux'],
  citations: ['selinux-containers', 'apparmor-failures'],
  explains: [
    ...noGpuConsequences,
    'said.nvml-insufficient-permissions',
    'said.device-node-denied',
    'said.cuda-*',
    'said.ncc-*',
    'driver/device-node-permissions',
    'container-runtime/runtime-omits-device-nodes',
    'container-runtime/cgroup-device-access-lost',
    'container-runtime/container-cli-lacks-permission',
  ],
  check(_facts, context) {
    const denials = [
      ...said(context, 'security-module-denied'),
      ...own(context, 'os.access-denied').filter((fact) =>
        /nvidia|xserver_misc_device_t/.test(`${fact.value.target ?? ''} ${fact.seen[0]?.text ?? ''}`),
      ),
    ];
    if (denials.length === 0) {
      return {
        kind: 'unknown',
        missing: [
          missing('os.access-denied', 'ausearch -m avc -ts recent | grep nvidia; dmesg | grep -i "apparmor=.DENIED"'),
        ],
      };
    }
    const real = denials.find((fact) => fact.seen.some((each) => !/permissive=1/.test(each.text)));
    const loose = own(context, 'os.selinux').find((fact) => fact.value !== 'enforcing');
    if (real === undefined)
      return {
        kind: 'cleared',
        because: 'SELinux noted the access and let it pass: it is permissive',
        seen: seen(denials[0]),
      };
    const apparmor = real.seen.some((each) => /apparmor=/i.test(each.text));
    if (loose !== undefined && !apparmor)
      return { kind: 'cleared', because: `SELinux is ${loose.value}`, seen: seen(loose) };
    const symptom = [
      ...said(
        context,
        'nvml-insufficient-permissions',
        'device-node-denied',
        'cuda-no-device',
        'pt-no-driver',
        'smi-couldnt-communicate',
        'nvml-unknown-error-container',
        'cuda-operation-not-permitted',
        'cuda-unknown-error',
        'pt-no-gpus-available',
        'smi-no-devices-found',
        'ncc-permission',
        'ncc-nvml-error',
        'cuda-os-call-failed',
        'ncc-driver-rpc',
        'nvml-driver-not-loaded',
        'tf-no-cuda-drivers',
      ),
      ...own(context, 'torch.cuda-available').filter((fact) => !fact.value),
    ][0];
    return {
      kind: 'fault',
      certainty: symptom === undefined ? 'likely' : byPrint(real, symptom),
      message: `${apparmor ? 'AppArmor' : 'SELinux'} denies the program a device node of the driver`,
      seen: seen(symptom, real),
      remedies: apparmor
        ? [
            {
              actor: 'node-admin',
              do: 'add the device nodes to the profile, or run the program under a profile that has them',
              command: 'aa-logprof; grep -rn nvidia /etc/apparmor.d/',
            },
          ]
        : [
            {
              actor: 'node-admin',
              do: 'let containers use devices, or load the policy for NVIDIA’s nodes',
              command: 'setsebool -P container_use_devices 1',
            },
            { actor: 'node-admin', do: 'set the label of the nodes right', command: 'restorecon -v /dev/nvidia*' },
            {
              actor: 'developer',
              do: 'until then run this one container without its label, not the whole host permissive',
              command: 'podman run --security-opt label=disable …',
            },
          ],
      missing:
        symptom === undefined
          ? [missing('said.nvml-insufficient-permissions', 'nvidia-smi   # as the same user, in the same container')]
          : [],
      weight: 5,
    };
  },
});
