import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from './_container.ts';

export const containerCliLacksPermission: Rule = defineRule({
  id: 'container-runtime/container-cli-lacks-permission',
  summary: 'The container toolkit itself lacks a right that it needs',
  needs: [],
  anyOf: ['said.ncc-permission', 'said.ncc-nvml-error', 'said.ncc-other-stage'],
  uses: ['said.rootless-engine', 'container.toolkit-setting'],
  citations: ['rootless-gpus', 'libnvidia-container-source'],
  explains: [
    'said.ncc-*',
    'said.pyxis-*',
    'said.oci-hook-failed',
    'said.k8s-create-container-error',
    'said.nct-*',
    'said.nvml-insufficient-permissions',
    'driver/device-node-permissions',
  ],
  check(_facts, context) {
    const direct = said(context, 'ncc-permission')[0];
    const nvml = said(context, 'ncc-nvml-error').find((fact) =>
      /insufficient permissions/i.test(fact.value.captures['err'] ?? ''),
    );
    const stage = said(context, 'ncc-other-stage').find(
      (fact) =>
        /permission denied|operation not permitted/i.test(fact.value.captures['text'] ?? '') &&
        !/device rules|cgroup|BPF|creation failed/i.test(fact.value.captures['text'] ?? ''),
    );
    // A mount that is refused with EPERM is refused to the helper itself, whatever the file.
    const refused =
      stage !== undefined && /mount operation failed.{0,400}operation not permitted/i.test(stage.seen[0]?.text ?? '');
    // So is a look into the root of the container.
    const looked =
      stage !== undefined && /file lookup failed: \S{1,400}: permission denied/i.test(stage.seen[0]?.text ?? '');
    const lead = direct ?? nvml ?? stage;
    if (lead === undefined) return { kind: 'silent' };
    const rootless = said(context, 'rootless-engine')[0];
    const shut = own(context, 'device.node').find(
      (fact) => /\/dev\/nvidia/.test(fact.value.path) && !/^c[rwxstST-]{6}rw/.test(fact.value.mode),
    );
    const setting = own(context, 'container.toolkit-setting').findLast(
      (fact) => fact.value.key === 'user' || fact.value.key === 'no-cgroups',
    );
    const after = own(context, 'driver.answers').find((fact) => fact.scope === 'container' && fact.order > lead.order);
    if (after !== undefined)
      return { kind: 'cleared', because: 'nvidia-smi answers inside the container since', seen: seen(after) };
    const proof = rootless ?? shut ?? setting;
    return {
      kind: 'fault',
      certainty:
        proof === undefined ? (lead === stage && !refused && !looked ? 'possible' : 'likely') : byPrint(lead, proof),
      message: 'the container toolkit lacks a right that it needs to look at the driver or to change the container',
      seen: seen(lead, proof),
      remedies: [
        {
          actor: 'node-admin',
          do: 'rootless: tell the toolkit to leave control groups alone',
          command: 'nvidia-ctk config --set nvidia-container-cli.no-cgroups --in-place',
        },
        {
          actor: 'node-admin',
          do: 'see whether the device nodes are open to that user, and whether a security module denies it',
          command: 'ls -l /dev/nvidia*; ausearch -m avc -ts recent | grep nvidia',
        },
        {
          actor: 'node-admin',
          do: 'or use CDI, which needs no privileged helper',
          command: 'nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml',
        },
      ],
      missing:
        proof === undefined
          ? [missing('said.rootless-engine', 'docker info | grep -iE "rootless|security"; ls -l /dev/nvidia*; id')]
          : [],
      weight: 1,
    };
  },
});
