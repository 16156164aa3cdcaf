import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
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
  said,
  seen,
  variable,
} from './_container.ts';

export const visibleDevicesNotSet: Rule = defineRule({
  id: 'container-runtime/visible-devices-not-set',
  summary: 'NVIDIA_VISIBLE_DEVICES does not ask for a GPU, so the runtime brings nothing',
  needs: [],
  anyOf: [...noGpuMessages, 'said.nct-envvar-ignored', 'torch.cuda-available', 'loader.resolved', 'framework.devices'],
  uses: ['env', 'driver.answers', 'container.default-runtime', 'container.inside'],
  citations: ['container-toolkit-visible-devices'],
  explains: [...noGpuConsequences, 'said.ld-*', 'container-runtime/container-toolkit-not-configured'],
  check(_facts, context) {
    const ignored = said(context, 'nct-envvar-ignored')[0];
    const setting = own(context, 'container.toolkit-setting').find(
      (fact) => fact.value.key === 'accept-nvidia-visible-devices-envvar-when-unprivileged',
    );
    const symptom = noGpu(context)[0];
    const values = own(context, 'env').filter((fact) => fact.value.name === 'NVIDIA_VISIBLE_DEVICES');
    // The counter-test: unset where it failed, and set in a later run that works.
    const unset = values.find((fact) => fact.value.value === '');
    const later = values.find(
      (fact) =>
        fact.value.value !== '' &&
        symptom !== undefined &&
        fact.order > symptom.order &&
        (unset?.order ?? 0) < fact.order,
    );
    const visible = unset !== undefined && later !== undefined ? unset : variable(context, 'NVIDIA_VISIBLE_DEVICES');
    const remedies = [
      {
        actor: 'image-owner',
        do: 'ask for the GPUs when the container starts, or set the variable in the image',
        command: 'docker run --gpus all …   # or --runtime=nvidia -e NVIDIA_VISIBLE_DEVICES=all',
      },
      {
        actor: 'cluster-admin',
        do: 'in Kubernetes let the pod request nvidia.com/gpu; the device plugin sets the variable',
      },
    ] as const;
    if (ignored !== undefined) {
      return {
        kind: 'fault',
        certainty: setting === undefined ? 'likely' : byPrint(ignored, setting),
        message: 'the toolkit is set to ignore NVIDIA_VISIBLE_DEVICES of unprivileged containers',
        seen: seen(ignored, setting, symptom),
        remedies,
        missing:
          setting === undefined
            ? [missing('container.toolkit-setting', 'grep accept-nvidia /etc/nvidia-container-runtime/config.toml')]
            : [],
        weight: 3,
      };
    }
    if (visible === undefined) {
      if (symptom === undefined || container(context) === undefined) return { kind: 'silent' };
      return {
        kind: 'unknown',
        missing: [
          missing('env', 'docker inspect CONTAINER | grep NVIDIA_   # or: kubectl exec POD -- env | grep NVIDIA_'),
        ],
      };
    }
    const value = visible.value.value.trim();
    const asks = value !== '' && value !== 'void' && value !== 'none';
    if (asks) {
      return symptom === undefined
        ? { kind: 'silent' }
        : { kind: 'cleared', because: `NVIDIA_VISIBLE_DEVICES is ${value}`, seen: seen(visible) };
    }
    if (symptom === undefined) return { kind: 'silent' };
    // With CDI the specification sets the variable to void, and the devices come all the same.
    const cdi =
      own(context, 'env').find((fact) => fact.value.name === 'NVIDIA_CTK_LIBCUDA_DIR') ?? own(context, 'cdi.path')[0];
    const mounted = files(context, /^\/usr\/local\/nvidia\/(?:lib64|lib|bin)\//)[0];
    const answers = later !== undefined && unset !== undefined ? undefined : answersInside(context);
    if ((value === 'void' && cdi !== undefined) || mounted !== undefined || answers !== undefined) {
      return {
        kind: 'cleared',
        because: 'the driver’s files came into the container by another way',
        seen: seen(cdi ?? mounted ?? answers),
      };
    }
    const library = files(context, /\/lib(?:cuda|nvidia-ml)\.so\.(?:1|\d{3}\.)/).find(
      (fact) => fact.scope === 'container',
    );
    if (library !== undefined && value !== 'none')
      return { kind: 'cleared', because: 'driver libraries are in the container', seen: seen(library) };
    const runtime = own(context, 'container.default-runtime').find((fact) => fact.value.startsWith('nvidia'));
    const picture = visible.scope === 'container' || visible.scope === 'image' ? visible : container(context);
    return {
      kind: 'fault',
      certainty: picture === undefined && runtime === undefined ? 'likely' : byPrint(visible, symptom),
      message:
        value === ''
          ? 'NVIDIA_VISIBLE_DEVICES is not set in the container, so no GPU is brought in'
          : `NVIDIA_VISIBLE_DEVICES is "${value}", so no GPU is brought in`,
      seen: seen(symptom, visible, runtime, visible === unset ? later : undefined),
      remedies,
      weight: runtime === undefined ? 2 : 4,
    };
  },
});
