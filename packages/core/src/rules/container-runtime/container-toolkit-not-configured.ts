import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import {
  byPrint,
  capture,
  missing,
  noGpu,
  noGpuConsequences,
  noGpuMessages,
  own,
  said,
  seen,
  toolkitAbsent,
  toolkitPresent,
} from './_container.ts';

export const containerToolkitNotConfigured: Rule = defineRule({
  id: 'container-runtime/container-toolkit-not-configured',
  summary: 'The container engine was not told of the NVIDIA runtime',
  needs: [],
  anyOf: [
    'said.docker-unknown-runtime',
    'said.docker-no-device-driver',
    'said.cdi-unresolvable',
    'said.nct-hook-direct-with-cdi',
    'container.runtimes',
    'said.toolkit-validation-no-smi',
  ],
  uses: ['container.toolkit-version', 'container.toolkit-absent', 'cdi.devices', ...noGpuMessages],
  citations: ['container-toolkit-install', 'container-toolkit-cdi'],
  explains: [...noGpuConsequences, 'said.docker-*', 'said.cdi-*', 'container-runtime/cdi-spec-stale'],
  check(_facts, context) {
    const present = toolkitPresent(context);
    const absent = toolkitAbsent(context);
    const runtimes = own(context, 'container.runtimes');
    const known = runtimes.find((fact) => fact.value.some((name) => name.startsWith('nvidia')));
    const without = known === undefined ? runtimes[0] : undefined;
    const unknownRuntime = said(context, 'docker-unknown-runtime').filter((fact) =>
      /nvidia/.test(fact.value.captures['runtime'] ?? 'nvidia'),
    );
    const noDriver = said(context, 'docker-no-device-driver');
    const unresolved = said(context, 'cdi-unresolvable').filter(
      (fact) =>
        !/^(?:.{0,60}=)?(?:\d|GPU-|MIG-)/.test(fact.value.captures['devices'] ?? '') ||
        own(context, 'cdi.devices').some((list) => list.value.length === 0),
    );
    const hook = said(context, 'nct-hook-direct-with-cdi');
    const named = [...unknownRuntime, ...hook][0];
    const remedies = [
      {
        actor: 'node-admin',
        do: 'write the NVIDIA runtime into the engine’s settings',
        command: 'nvidia-ctk runtime configure --runtime=docker   # or containerd, crio',
      },
      { actor: 'node-admin', do: 'restart the engine', command: 'systemctl restart docker   # or containerd, crio' },
      {
        actor: 'node-admin',
        do: 'where CDI names are used, write the specification',
        command: 'nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml',
      },
    ] as const;
    const validation = said(context, 'toolkit-validation-no-smi')[0];
    if (validation !== undefined && known === undefined)
      return {
        kind: 'fault',
        certainty: 'likely',
        message: 'a pod of the NVIDIA runtime class gets no driver: the engine does not use what the toolkit wrote',
        seen: seen(validation, without),
        remedies: [
          {
            actor: 'cluster-admin',
            do: 'give the toolkit the configuration file and the socket of this engine: k3s, rke2 and microk8s have their own',
            command: 'helm upgrade … --set toolkit.env[0].name=CONTAINERD_CONFIG,toolkit.env[0].value=FILE',
          },
          {
            actor: 'node-admin',
            do: 'see that the engine knows the runtime, and restart it',
            command: 'containerd config dump | grep -A8 nvidia; systemctl restart containerd',
          },
        ],
        missing: [missing('container.runtimes', 'containerd config dump | grep -A8 nvidia')],
        explains: ['orchestrator/device-plugin-not-running', 'said.toolkit-validation-no-smi', 'said.k8s-*'],
        weight: 3,
      };
    if (absent !== undefined) return { kind: 'silent' };
    if (named !== undefined) {
      const what = capture([named], 'handler', 'runtime')?.replace(/[."']{1,8}$/, '') ?? 'nvidia';
      const proof = without ?? present;
      return {
        kind: 'fault',
        certainty: hook.length > 0 ? byPrint(named) : proof === undefined ? 'likely' : byPrint(named, proof),
        message:
          hook.length > 0
            ? 'the container was started with --gpus while the toolkit is set to a mode that only the nvidia runtime serves'
            : `the container engine has no runtime "${what}"`,
        seen: seen(named, without, present),
        remedies,
        missing:
          proof === undefined && hook.length === 0
            ? [missing('container.runtimes', "docker info --format '{{json .Runtimes}}'; nvidia-ctk --version")]
            : [],
        weight: 3,
      };
    }
    if (noDriver.length > 0) {
      const proof = without ?? present;
      if (proof === undefined) {
        return {
          kind: 'fault',
          certainty: 'possible',
          message: 'Docker was not restarted or configured after the toolkit was installed',
          seen: seen(...noDriver),
          remedies,
          missing: [
            missing(
              'container.toolkit-version',
              'which nvidia-container-runtime-hook nvidia-ctk; docker info | grep -i runtimes',
            ),
          ],
          weight: 1,
        };
      }
      return {
        kind: 'fault',
        certainty: present === undefined ? 'likely' : byPrint(present, noDriver[0]),
        message: 'the NVIDIA container toolkit is installed, but this Docker daemon does not find it',
        seen: seen(noDriver[0], present, without),
        remedies,
        weight: present === undefined ? 1 : 3,
      };
    }
    if (unresolved.length > 0) {
      const none = own(context, 'cdi.devices').find((fact) => fact.value.length === 0);
      return {
        kind: 'fault',
        certainty: none === undefined ? 'likely' : byPrint(none, unresolved[0]),
        message: `no CDI specification offers ${capture(unresolved, 'devices') ?? 'the device that was asked for'}`,
        seen: seen(unresolved[0], none),
        remedies,
        missing: none === undefined ? [missing('cdi.devices', 'nvidia-ctk cdi list; ls /etc/cdi /var/run/cdi')] : [],
        weight: 2,
      };
    }
    const lost = noGpu(context);
    if (without !== undefined && lost.length > 0) {
      return {
        kind: 'fault',
        certainty: present === undefined ? 'likely' : byPrint(without, present, lost[0]),
        message: `the container engine knows the runtimes ${without.value.join(', ')} and none of NVIDIA`,
        seen: seen(lost[0], without, present),
        remedies,
        weight: 2,
      };
    }
    if (known !== undefined)
      return { kind: 'cleared', because: 'the container engine knows the NVIDIA runtime', seen: seen(known) };
    return { kind: 'silent' };
  },
});
