import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';

export const deviceNodePermissions: Rule = defineRule({
  id: 'driver/device-node-permissions',
  summary: 'Mode and group of the driver’s device nodes keep this user out',
  needs: [],
  anyOf: ['said.device-node-denied', 'said.tegra-memory-denied', 'said.nvml-insufficient-permissions', 'device.node'],
  uses: ['driver.parameter', 'env', 'said.cuda-no-device'],
  citations: ['driver-device-files'],
  explains: [
    'said.device-node-denied',
    'said.tegra-memory-denied',
    'said.nvml-*',
    'said.cuda-no-device',
    'said.cuda-unknown-error',
    'said.pt-*',
    'said.tf-*',
    'said.ggml-*',
    'application/application-exception',
    'framework/*',
  ],
  check(_facts, context) {
    const denied = said(context, 'device-node-denied', 'tegra-memory-denied')[0];
    const refused = said(context, 'nvml-insufficient-permissions')[0];
    const nodes = own(context, 'device.node').filter((fact) =>
      /\/dev\/(?:nvidia(?:\d{1,3}|ctl|-uvm)|nvmap|nvhost-(?:gpu|ctrl-gpu)|nvgpu\/\S{1,40})$/.test(fact.value.path),
    );
    const shut = nodes.find((fact) => /^c/.test(fact.value.mode) && !/^c[rwxstST-]{6}rw/.test(fact.value.mode));
    const parameter = own(context, 'driver.parameter').find(
      (fact) => /DeviceFileMode$/.test(fact.value.name) && !/^(?:0?666|438)$/.test(fact.value.value),
    );
    const blind = [
      ...said(
        context,
        'cuda-no-device',
        'pt-no-gpus-available',
        'pt-no-driver',
        'cuda-unknown-error',
        'smi-no-devices-found',
      ),
      ...own(context, 'torch.cuda-available').filter((fact) => !fact.value),
    ][0];
    const symptom = denied ?? refused ?? (shut === undefined ? undefined : blind);
    if (symptom === undefined) return { kind: 'silent' };
    const remedies = [
      {
        actor: 'node-admin',
        do: 'put the user into the group of the nodes',
        command: `usermod -aG ${shut?.value.group ?? 'video'} USER   # log in again`,
      },
      {
        actor: 'node-admin',
        do: 'or let the driver make them open to all',
        command:
          'echo "options nvidia NVreg_DeviceFileMode=0666" > /etc/modprobe.d/nvidia-perm.conf; reload the module',
      },
      {
        actor: 'developer',
        do: 'a container with a user of its own needs the group as well',
        command: 'docker run --group-add $(stat -c %g /dev/nvidia0) …',
      },
    ] as const;
    if (nodes.length > 0 && shut === undefined)
      return {
        kind: 'cleared',
        because: `the device nodes are open to all: ${nodes[0]!.value.mode}`,
        seen: seen(nodes[0]),
      };
    const proof = shut ?? parameter;
    if (proof !== undefined) {
      return {
        kind: 'fault',
        certainty: symptom === blind ? 'likely' : byPrint(symptom, proof),
        message:
          shut === undefined
            ? 'the driver makes its device nodes with a mode that keeps others out'
            : `${shut.value.path} is ${shut.value.mode} ${shut.value.owner}:${shut.value.group}, so this user may not open it`,
        seen: seen(symptom, proof),
        remedies,
        weight: 3,
      };
    }
    // A change of a setting needs root, and says the same.
    const setting = refused?.seen.some((each) =>
      /[Uu]nable to (?:set|change|enable|disable|reset)|[Cc]annot (?:set|change)|[Ff]ailed to (?:set|enable)/.test(
        each.text,
      ),
    );
    if (denied === undefined && setting === true) return { kind: 'silent' };
    return {
      kind: 'fault',
      certainty: denied === undefined ? 'possible' : 'likely',
      message:
        denied === undefined
          ? 'this user may lack the right to open the driver’s device nodes'
          : 'this user may not open a device node of the driver',
      seen: seen(symptom),
      remedies,
      missing: [
        missing('device.node', 'ls -l /dev/nvidia* /dev/nvidia-caps; id; grep Device /proc/driver/nvidia/params'),
      ],
      weight: 1,
    };
  },
});
