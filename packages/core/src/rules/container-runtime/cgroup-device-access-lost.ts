import type { Fact } from '../../model/facts.ts';
import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, container, hostWorks, missing, noGpuConsequences, own, said, seen } from './_container.ts';

export const cgroupDeviceAccessLost: Rule = defineRule({
  id: 'container-runtime/cgroup-device-access-lost',
  summary: 'A running container lost the GPU since its device rules were written anew',
  needs: [],
  anyOf: [
    'said.nvml-unknown-error-container',
    'said.device-open-refused',
    'said.runtime-device-eperm',
    'said.cuda-no-device',
    'said.nvml-blocked-by-os',
    'container.device-rule',
  ],
  uses: ['os.daemon-reload', 'said.container-restart-helps', 'devices.listed', 'driver.answers'],
  citations: ['container-toolkit-troubleshooting', 'systemd-device-allow'],
  explains: [...noGpuConsequences, 'said.runtime-device-eperm', 'said.cuda-*'],
  check(_facts, context) {
    const unknownError = said(context, 'nvml-unknown-error-container')[0];
    const refused = [
      ...said(context, 'device-open-refused'),
      ...said(context, 'runtime-device-eperm').filter((fact) => /EPERM/.test(fact.value.captures['err'] ?? '')),
    ][0];
    const symptom =
      unknownError ?? refused ?? said(context, 'nvml-blocked-by-os')[0] ?? said(context, 'cuda-no-device')[0];
    const rules = context.all('container.device-rule').filter((fact) => /^(?:195|\*):/.test(fact.value.device));
    // The state that counts is the one printed last: rules of before and after may both be there.
    const lastOrder = Math.max(...rules.map((fact) => fact.order));
    const latest = rules.filter((fact) => fact.order >= lastOrder - 24);
    const open = latest.find(
      (fact) => fact.value.access.includes('r') && fact.value.access.includes('w') && fact.order === lastOrder,
    );
    const shut = rules.length > 0 && open === undefined ? latest.find((fact) => fact.order === lastOrder) : undefined;
    const before = rules.find((fact) => fact.value.access.includes('rw') && fact.order < lastOrder);
    const reload = own(context, 'os.daemon-reload')[0] ?? context.all('os.daemon-reload')[0];
    const worked = said(context, 'container-restart-helps')[0] ?? context.all('said.container-restart-helps')[0];
    const remedies = [
      { actor: 'node-admin', do: 'restart the container; it has the GPU again' },
      {
        actor: 'node-admin',
        do: 'keep it: request the nodes through CDI or --device, make the /dev/char links, or use the cgroupfs driver',
        command: 'nvidia-ctk system create-dev-char-symlinks --create-all',
      },
    ] as const;
    if (shut !== undefined) {
      return {
        kind: 'fault',
        certainty: byPrint(shut),
        message: `the container may no longer read or write GPU nodes: only "${shut.value.access}" is left for ${shut.value.device}`,
        seen: seen(before, shut, symptom, reload),
        remedies,
        weight: 4,
      };
    }
    if (symptom === undefined) {
      return open === undefined
        ? { kind: 'silent' }
        : { kind: 'cleared', because: 'the device rules let the container read and write GPU nodes', seen: seen(open) };
    }
    const nodes = own(context, 'devices.listed').find(
      (fact) => fact.value.some((name) => /nvidia(?:ctl|\d)/.test(name)) && fact.scope !== 'host',
    );
    const none = own(context, 'devices.listed').find((fact) => fact.value.length === 0 && fact.scope !== 'host');
    if (none !== undefined)
      return { kind: 'cleared', because: 'the GPU nodes are not in the container at all', seen: seen(none) };
    const strong = unknownError ?? refused;
    const inContainer = strong?.scope === 'container' ? strong : container(context);
    const proofs = [reload, refused === undefined ? undefined : (nodes ?? refused)].filter(
      (fact): fact is Fact<'os.daemon-reload'> => fact !== undefined,
    );
    if (
      strong !== undefined &&
      proofs.length > 0 &&
      (reload !== undefined || nodes !== undefined || inContainer !== undefined)
    ) {
      return {
        kind: 'fault',
        certainty: byPrint(strong, proofs[0]),
        message:
          reload === undefined
            ? 'the GPU nodes are in the container, but it may not open them'
            : 'the container lost its GPU when systemd read its units again',
        seen: seen(strong, ...proofs, worked, nodes),
        remedies,
        weight: 4,
      };
    }
    if (unknownError !== undefined && (inContainer !== undefined || worked !== undefined)) {
      const host = hostWorks(context);
      return {
        kind: 'fault',
        certainty:
          worked !== undefined || host?.scope === 'host' || unknownError.scope === 'container' ? 'likely' : 'possible',
        message: 'NVML may no longer open the GPU nodes in this container',
        seen: seen(unknownError, worked, host),
        remedies,
        missing: [
          missing(
            'os.daemon-reload',
            'journalctl -b | grep -iE "systemd.*reloading|daemon-reload"; cat /sys/fs/cgroup/devices/devices.list',
          ),
        ],
        weight: 2,
      };
    }
    if (strong === undefined) {
      if (reload === undefined || container(context) === undefined) return { kind: 'silent' };
      return {
        kind: 'fault',
        certainty: 'possible',
        message: 'the container may have lost its GPU when systemd read its units again',
        seen: seen(symptom, reload),
        remedies,
        missing: [missing('container.device-rule', 'docker exec CONTAINER cat /sys/fs/cgroup/devices/devices.list')],
      };
    }
    return {
      kind: 'fault',
      certainty: 'possible',
      message:
        strong === refused
          ? 'a GPU node may not be opened here: the device rules of a control group keep this process out'
          : 'NVML answers with an unknown error, as in a container whose device rules were rewritten',
      seen: seen(strong),
      remedies,
      missing: [
        missing('container.inside', 'cat /proc/1/cgroup; ls -l /dev/nvidia*; journalctl -b | grep -i "reloading"'),
      ],
    };
  },
});
