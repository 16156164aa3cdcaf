import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import {
  byPrint,
  capture,
  missing,
  noGpuConsequences,
  said,
  seen,
  toolkitAbsent,
  toolkitPresent,
} from './_container.ts';

export const containerToolkitNotInstalled: Rule = defineRule({
  id: 'container-runtime/container-toolkit-not-installed',
  summary: 'The NVIDIA container toolkit is not installed where the container starts',
  needs: [],
  anyOf: [
    'said.docker-no-device-driver',
    'said.docker-unknown-runtime',
    'said.nct-cli-not-found',
    'said.toolkit-program-missing',
    'container.toolkit-absent',
  ],
  uses: ['container.toolkit-version', 'package.absent'],
  citations: ['container-toolkit-install', 'moby-device-requests'],
  explains: [
    ...noGpuConsequences,
    'said.docker-*',
    'said.nct-*',
    'said.toolkit-program-missing',
    'said.pyxis-*',
    'container-runtime/container-toolkit-not-configured',
    'container-runtime/driver-capabilities-lack-compute',
  ],
  check(_facts, context) {
    const absent = toolkitAbsent(context);
    const present = toolkitPresent(context);
    const noDriver = said(context, 'docker-no-device-driver');
    const unknownRuntime = said(context, 'docker-unknown-runtime').filter((fact) =>
      /nvidia/.test(fact.value.captures['runtime'] ?? ''),
    );
    const noProgram = said(context, 'toolkit-program-missing', 'nct-cli-not-found');
    const symptom = [...noProgram, ...noDriver, ...unknownRuntime][0];
    const remedies = [
      {
        actor: 'node-admin',
        do: 'install the toolkit from NVIDIA’s package repository',
        command: 'apt-get install nvidia-container-toolkit',
      },
      {
        actor: 'node-admin',
        do: 'tell the engine of it and restart the engine',
        command: 'nvidia-ctk runtime configure --runtime=docker && systemctl restart docker',
      },
    ] as const;
    if (present !== undefined && noProgram.length === 0) {
      return { kind: 'cleared', because: 'the NVIDIA container toolkit is installed', seen: seen(present) };
    }
    if (noProgram.length > 0 || absent !== undefined) {
      if (symptom === undefined) return { kind: 'silent' };
      const name = absent?.value ?? capture(noProgram, 'bin') ?? 'nvidia-container-cli';
      return {
        kind: 'fault',
        certainty: byPrint(absent ?? symptom),
        message: `${typeof name !== 'string' ? 'the NVIDIA container toolkit' : name.startsWith('nvidia') ? name : `nvidia-container-${name}`} is not on this host, so containers get no GPU`,
        seen: seen(absent, symptom),
        remedies,
        weight: 3,
      };
    }
    if (noDriver.length > 0) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: 'Docker finds no NVIDIA container toolkit for a container that asks for GPUs',
        seen: seen(...noDriver),
        remedies,
        missing: [
          missing('container.toolkit-version', 'which nvidia-container-runtime-hook nvidia-ctk; nvidia-ctk --version'),
        ],
        weight: 2,
      };
    }
    if (unknownRuntime.length === 0) return { kind: 'silent' };
    return {
      kind: 'fault',
      certainty: 'possible',
      message: 'Docker knows no runtime nvidia; the toolkit may not be installed',
      seen: seen(...unknownRuntime),
      remedies,
      missing: [missing('container.toolkit-version', 'which nvidia-container-runtime; nvidia-ctk --version')],
    };
  },
});
