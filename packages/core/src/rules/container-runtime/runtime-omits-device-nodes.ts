import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import {
  byPrint,
  container,
  files,
  hostWorks,
  missing,
  noGpu,
  noGpuConsequences,
  own,
  said,
  seen,
  variable,
} from './_container.ts';

export const runtimeOmitsDeviceNodes: Rule = defineRule({
  id: 'container-runtime/runtime-omits-device-nodes',
  summary: 'The driver’s files are in the container, the GPU nodes are not',
  needs: [],
  anyOf: [
    'devices.listed',
    'said.nvml-unknown-error-container',
    'said.nvml-driver-not-loaded',
    'said.cuda-no-device',
    'said.pt-no-gpus-available',
    'said.runtime-device-eperm',
  ],
  uses: ['file.exists', 'loader.cache', 'env', 'driver.answers', 'container.mount'],
  citations: ['container-toolkit-docs', 'libnvidia-container-source'],
  explains: [
    ...noGpuConsequences,
    'said.runtime-device-eperm',
    'container-runtime/cgroup-device-access-lost',
    'container-runtime/visible-devices-not-set',
  ],
  check(_facts, context) {
    const lists = own(context, 'devices.listed').filter((fact) => fact.scope !== 'host');
    const inContainer = lists.find((fact) => fact.scope === 'container') ?? lists[0];
    const hostList = own(context, 'devices.listed').find(
      (fact) => fact.scope === 'host' || (inContainer?.scope === 'container' && fact.scope === 'unknown'),
    );
    const refused = said(context, 'runtime-device-eperm').find((fact) => fact.value.captures['err'] === 'ENOENT');
    const symptom = [
      ...noGpu(context),
      ...said(context, 'nvml-unknown-error-container'),
      ...said(context, 'nvml-driver-not-loaded'),
      ...said(context, 'cuda-unknown-error'),
    ].find((fact) => fact.scope !== 'host');
    const picture = inContainer?.scope === 'container' ? inContainer : container(context);
    const remedies = [
      {
        actor: 'node-admin',
        do: 'start the container through the NVIDIA runtime or CDI, which bring the nodes',
        command: 'docker run --rm --gpus all IMAGE ls -l /dev/nvidia*',
      },
      {
        actor: 'node-admin',
        do: 'or pass them',
        command: 'docker run --device /dev/nvidia0 --device /dev/nvidiactl --device /dev/nvidia-uvm …',
      },
      {
        actor: 'node-admin',
        do: 'where the nodes are missing on the host too, make them',
        command: 'nvidia-modprobe -c 0 -u',
      },
    ] as const;
    const library =
      files(context, /\/lib(?:cuda|nvidia-ml)\.so/).find((fact) => fact.scope !== 'host') ??
      own(context, 'loader.cache').find(
        (fact) => /^lib(?:cuda|nvidia-ml)\.so/.test(fact.value.soname) && fact.scope !== 'host',
      ) ??
      said(context, 'tf-versions-line', 'tf-kernel-dso-mismatch').find(
        (fact) => (fact.value.captures['library'] ?? fact.value.captures['lc']) !== undefined,
      ) ??
      variable(context, 'NVIDIA_VISIBLE_DEVICES');
    if (inContainer === undefined) {
      if (refused === undefined) return { kind: 'silent' };
      return {
        kind: 'fault',
        certainty: picture === undefined ? 'possible' : byPrint(refused),
        message: `/dev/nvidia${refused.value.captures['dev'] ?? ''} is not there`,
        seen: seen(refused, symptom),
        remedies,
        missing: picture === undefined ? [missing('devices.listed', 'ls -l /dev/nvidia*')] : [],
        weight: 2,
      };
    }
    const has = (name: string): boolean => inContainer.value.some((each) => each.endsWith(name));
    const gpu = inContainer.value.some((each) => /nvidia\d{1,2}$/.test(each));
    const control = has('nvidiactl');
    const uvm = has('nvidia-uvm');
    if (gpu && control && uvm) {
      return picture === undefined
        ? { kind: 'silent' }
        : { kind: 'cleared', because: 'the GPU nodes are in the container', seen: seen(inContainer) };
    }
    if (picture === undefined) return { kind: 'silent' };
    const unset = variable(context, 'NVIDIA_VISIBLE_DEVICES');
    // The runtime brought the driver's files, so that GPUs were asked for.
    const given = own(context, 'container.mount').find(
      (fact) => fact.value.from === 'host' && /\/libcuda\.so\./.test(fact.value.path),
    );
    if (
      inContainer.value.length === 0 &&
      given === undefined &&
      (symptom === undefined || (unset !== undefined && /^(?:|void|none)$/.test(unset.value.value)))
    )
      return { kind: 'silent' };
    const counted = own(context, 'devices.counted').find(
      (fact) => fact.scope === 'host' && fact.value > inContainer.value.length,
    );
    const hostHas =
      counted !== undefined ||
      (hostList !== undefined && hostList.value.some((each) => !inContainer.value.includes(each)));
    const lacks = !gpu ? '/dev/nvidia0' : !control ? '/dev/nvidiactl' : '/dev/nvidia-uvm';
    const host = hostHas ? (counted ?? hostList) : hostWorks(context);
    // A node list that was filtered (`ls /dev/nvidia0`) says nothing of the others.
    if (gpu && inContainer.value.length === 1 && !hostHas) return { kind: 'silent' };
    const proof = (library !== undefined && symptom !== undefined) || (hostHas && symptom !== undefined);
    return {
      kind: 'fault',
      certainty: proof
        ? byPrint(inContainer, symptom)
        : (host !== undefined && symptom !== undefined) || (inContainer.value.length === 0 && given !== undefined)
          ? 'likely'
          : 'possible',
      message: `${lacks} is not in the container${library === undefined ? '' : ', though the driver’s libraries are'}`,
      seen: seen(inContainer, symptom, hostHas ? (counted ?? hostList) : undefined, library, given),
      remedies,
      missing: proof
        ? []
        : [
            missing(
              'file.exists',
              'ls -l /dev/nvidia*; ldconfig -p | grep libcuda; env | grep NVIDIA_   # in the container',
            ),
          ],
      weight: 3,
    };
  },
});
