import type { Evidence } from '../../model/document.ts';
import type { Outcome, Remedy, Rule, RuleContext } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, files, missing, noGpu, noGpuConsequences, own, said, seen, variable } from './_container.ts';

const start: readonly Remedy[] = [
  {
    actor: 'developer',
    do: 'start it with a request for GPUs',
    command:
      'docker run --gpus all …   # or: --device nvidia.com/gpu=all; Compose: deploy.resources.reservations.devices',
  },
  {
    actor: 'node-admin',
    do: 'if the engine refuses that: install and configure the container toolkit',
    command: 'nvidia-ctk runtime configure --runtime=docker && systemctl restart docker',
  },
];

const native: readonly Remedy[] = [
  {
    actor: 'developer',
    do: 'give --nv before the image: what comes after the image goes to the program in it',
    command: 'apptainer exec --nv IMAGE.sif nvidia-smi',
  },
];

/**
 * What shows, from inside a container, that its image names GPUs and nothing was injected: it may be meant so, as images
 * of CUDA carry the variable wherever they are started.
 */
function nothingGiven(context: RuleContext): readonly Evidence[] {
  const inside = own(context, 'container.inside')[0];
  const asks = variable(context, 'NVIDIA_VISIBLE_DEVICES');
  const nodes = own(context, 'devices.listed').find((fact) => fact.scope !== 'host');
  if (inside === undefined || asks === undefined || nodes === undefined || nodes.value.length > 0) return [];
  if (/^(?:|void|none)$/.test(asks.value.value)) return [];
  const given = own(context, 'container.mount').some(
    (fact) => fact.value.from === 'host' && /nvidia|libcuda/.test(fact.value.path),
  );
  return given ? [] : seen(asks, nodes, inside);
}

export const containerStartedWithoutGpus: Rule = defineRule({
  id: 'container-runtime/container-started-without-gpus',
  summary: 'The container was started without a request for GPUs',
  needs: [],
  anyOf: ['container.no-device-request', 'said.image-finds-no-driver', 'devices.listed', 'container.started'],
  uses: [
    'container.device-request',
    'container.runtime',
    'container.inside',
    'container.mount',
    'driver.answers',
    'env',
    'said.ggml-no-devices',
  ],
  citations: ['container-toolkit-visible-devices', 'cuda-images'],
  explains: [
    ...noGpuConsequences,
    'said.ld-*',
    'said.ggml-*',
    'framework/cpu-only-framework-build',
    'container-runtime/visible-devices-not-set',
    'container-runtime/container-toolkit-not-configured',
    'container-runtime/container-toolkit-not-installed',
  ],
  check(_facts, context) {
    const started = startedBare(context);
    if (started !== null) return started;
    const banner = said(context, 'image-finds-no-driver')[0];
    const none = own(context, 'container.no-device-request')[0];
    const runtime = own(context, 'container.runtime')[0];
    const nvidia = own(context, 'container.runtime').find((fact) => /nvidia/.test(fact.value));
    const asked =
      own(context, 'container.device-request').find(
        (fact) => /^(?:nvidia|cdi)$/.test(fact.value.driver) || fact.value.capabilities.includes('gpu'),
      ) ?? files(context, /^\/dev\/nvidia(?:\d{1,3}|ctl)$/)[0];
    const way = asked ?? nvidia;
    if (way !== undefined)
      return {
        kind: 'cleared',
        because: 'the engine was asked for GPUs, or runs the container with its NVIDIA runtime',
        seen: seen(way),
      };
    const symptom = banner ?? noGpu(context)[0];
    if (symptom === undefined && none === undefined) {
      const bare = nothingGiven(context);
      if (bare.length > 0)
        return {
          kind: 'fault',
          certainty: 'possible',
          message: 'the image asks for GPUs, and the container was given neither a GPU node nor the driver’s libraries',
          seen: bare,
          remedies: start,
          missing: [
            missing(
              'container.device-request',
              'docker inspect CONTAINER --format "{{json .HostConfig.DeviceRequests}} {{.HostConfig.Runtime}}"',
            ),
          ],
          weight: 1,
        };
    }
    if (symptom === undefined) return { kind: 'silent' };
    if (none === undefined)
      return {
        kind: 'unknown',
        missing: [
          missing(
            'container.device-request',
            'docker inspect CONTAINER --format "{{json .HostConfig.DeviceRequests}} {{.HostConfig.Runtime}}"',
          ),
        ],
      };
    const open = runtime === undefined;
    return {
      kind: 'fault',
      certainty: open ? 'likely' : byPrint(symptom, none, runtime),
      message: `the container was started without GPUs: it has no device request${open ? '' : `, and its runtime is ${runtime.value}`}`,
      seen: seen(symptom, none, runtime),
      remedies: start,
      missing: open
        ? [missing('container.runtime', 'docker inspect CONTAINER --format "{{.HostConfig.Runtime}}"')]
        : [],
      weight: 4,
    };
  },
});

/**
 * The command that started the container stands in the text and gives no GPUs, and what ran in it found none. Another
 * container that was given them and finds them shows that the engine can.
 */
function startedBare(context: RuleContext): Outcome | null {
  const symptoms = [...noGpu(context), ...own(context, 'said.ggml-no-devices')];
  for (const fact of context.all('container.started')) {
    if (fact.value.gpus || fact.scope === 'other-host') continue;
    const { name } = fact.value;
    const within = (command: string | null): boolean =>
      command !== null &&
      (command === fact.command ||
        (name !== null && /\b(?:logs|exec|attach)\b/.test(command) && command.split(/\s+/).includes(name)));
    // A shell in the container lasts until it is left; the next start of a container is another one.
    const shell = /\b(?:apptainer|singularity)\b.{0,80} shell /.test(fact.command ?? '');
    const next = context.all('container.started').find((each) => each.order > fact.order);
    const symptom = symptoms.find(
      (each) =>
        each.order > fact.order &&
        (within(each.command) || (shell && each.order < (next?.order ?? Number.POSITIVE_INFINITY))),
    );
    if (symptom === undefined) continue;
    const other = context
      .all('container.started')
      .find((each) => each.value.gpus && own(context, 'driver.answers').some((one) => one.command === each.command));
    return {
      kind: 'fault',
      certainty: other === undefined ? 'likely' : byPrint(symptom, fact),
      message: `the container was started without GPUs: nothing in its command asks for them${other === undefined ? '' : ', and one that was given them finds them'}`,
      seen: seen(fact, symptom, other),
      remedies: /\b(?:apptainer|singularity)\b/.test(fact.command ?? '') ? native : start,
      missing:
        other === undefined
          ? [missing('container.runtime', 'docker info --format "{{.DefaultRuntime}}"; docker inspect CONTAINER')]
          : [],
      weight: 4,
    };
  }
  return null;
}
