import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';

export const migChangeRefused: Rule = defineRule({
  id: 'orchestrator/mig-change-refused',
  summary: 'The MIG configuration of a node could not be applied: its GPUs are in use or cannot be reset',
  needs: [],
  anyOf: ['said.mig-change-failed', 'said.smi-reset-in-use', 'said.gpu-reset-unsupported'],
  uses: ['modules.loaded', 'works'],
  citations: ['mig-parted', 'mig-user-guide'],
  explains: [
    'said.mig-change-failed',
    'said.smi-reset-in-use',
    'said.gpu-reset-unsupported',
    'driver/mig-mode-pending-reset',
  ],
  check(_facts, context) {
    const failed = said(context, 'mig-change-failed')[0];
    const unsupported = said(context, 'gpu-reset-unsupported')[0];
    const held = said(context, 'smi-reset-in-use')[0];
    if (failed === undefined) {
      return held === undefined && unsupported === undefined
        ? { kind: 'silent' }
        : {
            kind: 'unknown',
            missing: [
              missing(
                'what was to be changed',
                'lsof /dev/nvidia*; nvidia-smi -q | grep -A2 "MIG Mode"; kubectl get node NODE --show-labels | tr "," "\\n" | grep mig',
              ),
            ],
          };
    }
    const applied = own(context, 'works').find(
      (fact) => fact.value.what === 'MIG was configured' && (fact.last ?? fact.order) > (failed.last ?? failed.order),
    );
    if (applied !== undefined) return { kind: 'cleared', because: 'a later try configured MIG', seen: seen(applied) };
    const display = own(context, 'modules.loaded').find((fact) => fact.value.includes('nvidia_drm'));
    const reason = unsupported ?? held;
    return {
      kind: 'fault',
      certainty: reason === undefined ? 'possible' : byPrint(failed, reason),
      message:
        unsupported !== undefined
          ? 'the MIG configuration waits for a reset that this machine cannot make: only a reboot does'
          : held !== undefined
            ? 'the MIG configuration could not be applied: other processes hold the GPUs, so they cannot be reset'
            : 'the MIG configuration of the node could not be applied',
      seen: seen(failed, reason, held === undefined ? undefined : display),
      remedies:
        unsupported === undefined
          ? [
              {
                actor: 'node-admin',
                do: 'end what holds the GPUs: jobs, DCGM and other monitors, the display, then nvidia_drm and nvidia_modeset',
                command:
                  'lsof /dev/nvidia*; systemctl stop nvidia-dcgm nvidia-persistenced display-manager; modprobe -r nvidia_drm nvidia_modeset',
              },
              {
                actor: 'cluster-admin',
                do: 'drain the node and apply the configuration again; let the MIG manager shut down the clients of the host',
                command:
                  'kubectl drain NODE --ignore-daemonsets; kubectl label node NODE nvidia.com/mig.config=NAME --overwrite',
              },
            ]
          : [
              {
                actor: 'cluster-admin',
                do: 'drain the node and reboot it; where the operator may do that itself, say so',
                command: 'WITH_REBOOT=true   # environment of the MIG manager',
              },
            ],
      missing:
        reason === undefined
          ? [
              missing(
                'why it failed',
                'kubectl -n gpu-operator logs ds/nvidia-mig-manager --tail=60; lsof /dev/nvidia*',
              ),
            ]
          : [],
      weight: 2,
    };
  },
});
