import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, own, said, seen } from './_container.ts';

export const cgroupDeviceFilterFailed: Rule = defineRule({
  id: 'container-runtime/cgroup-device-filter-failed',
  summary: 'The container toolkit cannot allow the GPUs in the container’s control group',
  needs: [],
  anyOf: [
    'said.ncc-device-rules-bpf',
    'said.ncc-cgroup-subsystem',
    'said.ncc-mount-stat-failed',
    'said.nvc-cgroup-denied',
  ],
  uses: ['container.toolkit-version', 'container.toolkit-setting', 'said.rootless-engine', 'os.kernel'],
  citations: ['cgroup-v2-devices', 'rootless-gpus'],
  explains: ['said.ncc-*', 'said.nvc-*', 'said.oci-hook-failed', 'said.k8s-create-container-error', 'said.nct-*'],
  check(_facts, context) {
    const rules = said(context, 'ncc-device-rules-bpf')[0];
    const subsystem = said(context, 'ncc-cgroup-subsystem')[0];
    const file = said(context, 'ncc-mount-stat-failed').find((fact) =>
      (fact.value.captures['path'] ?? '').startsWith('/sys/fs/cgroup'),
    );
    const lead = rules ?? subsystem ?? file ?? said(context, 'nvc-cgroup-denied')[0];
    if (lead === undefined) return { kind: 'silent' };
    const setting = own(context, 'container.toolkit-setting').findLast((fact) => fact.value.key === 'no-cgroups');
    const rootless = said(context, 'rootless-engine')[0];
    const toolkit = own(context, 'container.toolkit-version')[0];
    if (setting !== undefined && setting.value.value === 'true' && setting.order > lead.order)
      return {
        kind: 'cleared',
        because: 'the toolkit leaves control groups alone now (no-cgroups = true)',
        seen: seen(setting),
      };
    const text = lead.seen.map((each) => each.text).join(' ');
    const forbidden = /operation not permitted|permission denied/i.test(text);
    const old = /subsystem devices not found|invalid argument|unknown func/i.test(text);
    const stage = /container error|mount error|cgroup/i.test(text);
    return {
      kind: 'fault',
      certainty: lead.told ? 'possible' : stage ? byPrint(lead) : 'likely',
      message: forbidden
        ? 'the container toolkit may not change the device rules of the control group, as in a rootless or nested engine'
        : old
          ? 'the container toolkit does not get on with this kernel’s control groups'
          : 'the container toolkit could not add the GPUs to the device rules of the control group',
      seen: seen(lead, rootless, toolkit, setting),
      remedies: [
        ...(forbidden
          ? [
              {
                actor: 'node-admin' as const,
                do: 'rootless or nested: leave control groups alone, and give the device nodes by CDI or --device',
                command: 'nvidia-ctk config --set nvidia-container-cli.no-cgroups --in-place',
              },
            ]
          : []),
        {
          actor: 'node-admin',
          do: 'bring the toolkit up to date: cgroup v2 needs 1.8 or newer',
          command: 'nvidia-container-cli --version',
        },
        {
          actor: 'node-admin',
          do: 'or use CDI, where the engine itself sets the rules',
          command: 'nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml; docker run --device nvidia.com/gpu=all …',
        },
      ],
      weight: 3,
    };
  },
});
