import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import {
  byPrint,
  missing,
  noGpu,
  noGpuConsequences,
  noGpuMessages,
  own,
  seen,
} from '../container-runtime/_container.ts';
import { driverFolder, folderIn, searched } from './_driver-folder.ts';

export const hostDriverPathNotInContainerPath: Rule = defineRule({
  id: 'image/host-driver-path-not-in-container-path',
  summary: 'The driver is mounted in the container, in a folder that PATH or LD_LIBRARY_PATH do not name',
  needs: [],
  anyOf: [...noGpuMessages, 'loader.resolved', 'torch.cuda-available', 'framework.devices'],
  uses: ['file.exists', 'env'],
  citations: ['gke-driver-mount', 'k8s-device-plugin'],
  explains: [
    ...noGpuConsequences,
    'said.ld-*',
    'container-runtime/visible-devices-not-set',
    'container-runtime/k8s-default-runtime-not-nvidia',
    'container-runtime/k8s-runtime-class-missing',
    'image/host-driver-path-not-in-ld-cache',
    'container-runtime/container-toolkit-not-configured',
    'container-runtime/driver-capabilities-lack-compute',
  ],
  check(_facts, context) {
    const symptom = noGpu(context)[0];
    const mounted = driverFolder(context);
    if (symptom === undefined || mounted === null) return { kind: 'silent' };
    const program = /\/nvidia-smi$/.test(mounted.file.value);
    const name = program ? 'PATH' : 'LD_LIBRARY_PATH';
    const variable = searched(context, name);
    const uncached = own(context, 'loader.cache-absent').find((fact) => /cuda|nvidia/.test(fact.value));
    const remedies = [
      {
        actor: 'image-owner',
        do: `name the folder in the image`,
        command: 'ENV PATH=/usr/local/nvidia/bin:$PATH LD_LIBRARY_PATH=/usr/local/nvidia/lib64:$LD_LIBRARY_PATH',
      },
      { actor: 'developer', do: 'or set it in the pod’s env, or start from an nvidia/cuda image, which has both' },
    ] as const;
    if (variable !== undefined && folderIn(variable.value.value, mounted.folder)) {
      return { kind: 'cleared', because: `${name} names ${mounted.folder}`, seen: seen(variable) };
    }
    if (variable !== undefined) {
      return {
        kind: 'fault',
        certainty: byPrint(symptom, mounted.file, variable),
        message: `${mounted.file.value} is in the container, but ${name} ${variable.value.value === '' ? 'is empty' : `is ${variable.value.value.slice(0, 120)}`}`,
        seen: seen(symptom, mounted.file, variable),
        remedies,
        weight: 5,
      };
    }
    if (uncached !== undefined) return { kind: 'silent' };
    return {
      kind: 'fault',
      certainty: mounted.usual ? 'likely' : 'possible',
      message: `${mounted.file.value} is in the container, but it is not found`,
      seen: seen(symptom, mounted.file),
      remedies,
      missing: [missing('env', 'echo "[$PATH] [$LD_LIBRARY_PATH]"; ldconfig -p | grep libcuda   # in the container')],
      weight: 3,
    };
  },
});
