import type { Fact } from '../../model/facts.ts';
import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { capabilitiesInImage } from '../image/_settings.ts';
import {
  answersInside,
  byPrint,
  container,
  files,
  missing,
  noGpu,
  noGpuConsequences,
  noGpuMessages,
  own,
  seen,
  variable,
} from './_container.ts';
import { capabilityOf, missingDriverLibraries } from './_driver-libraries.ts';

export const driverCapabilitiesLackCompute: Rule = defineRule({
  id: 'container-runtime/driver-capabilities-lack-compute',
  summary: 'The driver capabilities of the container leave out the library that the program needs',
  needs: [],
  anyOf: [
    'image.variable',
    ...noGpuMessages,
    'loader.resolved',
    'torch.cuda-available',
    'driver.cuda-missing',
    'said.driver-library-missing',
    'said.cuda-jit-compiler-not-found',
    'framework.devices',
  ],
  uses: ['env', 'driver.answers', 'container.inside'],
  citations: ['container-toolkit-capabilities', 'libnvidia-container-source'],
  explains: [
    ...noGpuConsequences,
    'said.ld-*',
    'said.driver-library-missing',
    'container-runtime/driver-lib-not-injected',
    'driver/driver-lib-not-packaged',
    'container-runtime/container-toolkit-not-configured',
  ],
  check(_facts, context) {
    const inventory = capabilitiesInImage(context);
    if (inventory !== null) return inventory;
    const capabilities = variable(context, 'NVIDIA_DRIVER_CAPABILITIES');
    const value = capabilities?.value.value;
    const has = (name: string): boolean =>
      value !== undefined &&
      (/(?:^|,)\s{0,2}all\b/.test(value) || value.split(',').some((each) => each.trim() === name));
    const visible = variable(context, 'NVIDIA_VISIBLE_DEVICES');
    const other = missingDriverLibraries(context);
    const cudaMissing = own(context, 'driver.cuda-missing')[0];
    const remedies = [
      {
        actor: 'image-owner',
        do: 'set the capabilities in the image or at its start',
        command: 'docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility …',
      },
      {
        actor: 'image-owner',
        do: 'in a compose file ask for them',
        command: 'deploy.resources.reservations.devices[].capabilities: [gpu, compute, utility]',
      },
    ] as const;
    // A library of another capability: video, graphics.
    const needs = other?.library === undefined ? null : capabilityOf(other.library);
    if (other?.capability !== undefined && needs !== null) {
      return {
        kind: 'fault',
        certainty: byPrint(other.symptom, other.capability),
        message: `NVIDIA_DRIVER_CAPABILITIES is "${other.capability.value.value}", without ${needs}, which brings ${other.library ?? 'the library'}`,
        seen: seen(other.symptom, other.capability),
        remedies,
        weight: 4,
      };
    }
    const symptoms = noGpu(context).filter((fact) => !/^said\.(?:nvml-|smi-|k8s-)/.test(fact.id));
    const lacksNvml = noGpu(context).find((fact) => /^said\.(?:nvml-library-not-found|smi-not-found)$/.test(fact.id));
    const symptom: Fact | undefined = symptoms[0] ?? cudaMissing;
    if (
      value !== undefined &&
      value !== '' &&
      !has('utility') &&
      has('compute') &&
      symptom === undefined &&
      lacksNvml !== undefined
    ) {
      return {
        kind: 'fault',
        certainty: byPrint(lacksNvml, capabilities),
        message: `NVIDIA_DRIVER_CAPABILITIES is "${value}", without utility, which brings nvidia-smi and NVML`,
        seen: seen(lacksNvml, capabilities),
        remedies,
        weight: 4,
      };
    }
    if (symptom === undefined) return { kind: 'silent' };
    if (has('compute'))
      return { kind: 'cleared', because: `the driver capabilities are "${value}"`, seen: seen(capabilities) };
    const libcuda =
      files(context, /\/libcuda\.so/).find((fact) => fact.scope !== 'host' && !/stubs|compat/.test(fact.value)) ??
      own(context, 'loader.cache').find((fact) => /^libcuda\.so/.test(fact.value.soname) && fact.scope === 'container');
    if (libcuda !== undefined) return { kind: 'cleared', because: 'libcuda is in the container', seen: seen(libcuda) };
    if (value !== undefined && value !== '') {
      if (
        container(context) === undefined &&
        capabilities?.scope !== 'container' &&
        visible === undefined &&
        !/utility|video|graphics|display|ngx|compat32/.test(value)
      )
        return { kind: 'silent' };
      return {
        kind: 'fault',
        certainty: byPrint(symptom, capabilities),
        message: `NVIDIA_DRIVER_CAPABILITIES is "${value}", without compute, so the container gets no libcuda`,
        seen: seen(symptom, capabilities, answersInside(context)),
        remedies,
        weight: 5,
      };
    }
    // NVML answers and CUDA does not: the capabilities are what differs between the two.
    const answers =
      answersInside(context) ??
      (cudaMissing !== undefined && (cudaMissing.scope === 'container' || container(context) !== undefined)
        ? cudaMissing
        : undefined);
    if (answers === undefined) {
      if (container(context) === undefined) return { kind: 'silent' };
      return {
        kind: 'unknown',
        missing: [
          missing('env', 'docker exec CONTAINER sh -c "nvidia-smi -L; env | grep NVIDIA_; ldconfig -p | grep libcuda"'),
        ],
      };
    }
    const strong =
      symptoms.some((fact) =>
        /pt-no-driver|ld-missing-libcuda|loader\.resolved|cuda-insufficient-driver|numba|triton-libcuda/.test(fact.id),
      ) || cudaMissing !== undefined;
    if (!strong) return { kind: 'silent' };
    return {
      kind: 'fault',
      certainty: capabilities !== undefined ? byPrint(symptom, answers, capabilities) : 'likely',
      message:
        capabilities === undefined
          ? 'nvidia-smi works in the container, but libcuda is not there'
          : 'nvidia-smi works in the container, libcuda is not there, and NVIDIA_DRIVER_CAPABILITIES is not set',
      seen: seen(symptom, answers, capabilities, visible),
      remedies,
      missing:
        capabilities === undefined
          ? [
              missing(
                'env',
                'docker inspect CONTAINER | grep NVIDIA_; docker exec CONTAINER ldconfig -p | grep libcuda',
              ),
            ]
          : [],
      weight: 4,
    };
  },
});
