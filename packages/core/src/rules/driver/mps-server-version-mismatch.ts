import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';

export const mpsServerVersionMismatch: Rule = defineRule({
  id: 'driver/mps-server-version-mismatch',
  summary: 'The MPS server is of another driver release than its clients',
  needs: [],
  anyOf: [
    'said.mps-version-mismatch',
    'said.mps-server-release',
    'said.cuda-mps-connection-failed',
    'said.cuda-mps-other',
    'said.nvrm-api-mismatch',
  ],
  uses: ['driver.version', 'driver.module', 'driver.cuda'],
  citations: ['mps-guide'],
  explains: [
    'driver/stale-driver-libs-on-host',
    'driver/kmod-userspace-mismatch-after-upgrade',
    'driver/userspace-newer-than-kernel-module',
    'said.nvrm-api-mismatch',
    'said.cuda-*',
    'said.mps-*',
    'said.pt-*',
    'driver/mps-not-reachable',
    'application/application-exception',
  ],
  check(_facts, context) {
    const message = said(context, 'mps-version-mismatch')[0];
    const symptom = [...said(context, 'cuda-mps-connection-failed'), ...said(context, 'cuda-mps-other')][0];
    const server = said(context, 'mps-server-release').findLast((fact) => fact.value.captures['driver'] !== undefined);
    // The kernel module names the program that is of another release: here the server itself.
    const refused = said(context, 'nvrm-api-mismatch').find((fact) =>
      /^nvidia-cuda-mps/.test(fact.value.captures['client'] ?? ''),
    );
    const serverRelease = refused?.value.captures['clientVersion'];
    const kernel = refused?.value.captures['kernelVersion'];
    const binary = said(context, 'mps-server-release').findLast((fact) => fact.value.captures['binary'] !== undefined);
    const driver = [...own(context, 'driver.module'), ...own(context, 'driver.version')][0];
    const cuda = own(context, 'driver.cuda')[0];
    const release = server?.value.captures['driver'];
    const differs =
      release !== undefined && driver !== undefined && release.split('.')[0] !== driver.value.split('.')[0];
    const number = Number(binary?.value.captures['binary'] ?? Number.NaN);
    const code =
      cuda === undefined ? Number.NaN : Number(cuda.value.split('.')[0]) * 1000 + Number(cuda.value.split('.')[1]) * 10;
    const otherCuda = Number.isFinite(number) && Number.isFinite(code) && number !== code;
    const same = release !== undefined && driver !== undefined && !differs && !otherCuda;
    if (same && message === undefined)
      return {
        kind: 'cleared',
        because: `the MPS server is of driver branch ${release} as well`,
        seen: seen(server, driver),
      };
    const remedies = [
      { actor: 'node-admin', do: 'end every client, then the daemon', command: 'echo quit | nvidia-cuda-mps-control' },
      {
        actor: 'node-admin',
        do: 'start it again, with the binaries of the driver that is loaded',
        command: 'nvidia-cuda-mps-control -d',
      },
      { actor: 'image-owner', do: 'take no nvidia-cuda-mps-server into an image; the host’s belongs to the driver' },
    ] as const;
    if (refused !== undefined && serverRelease !== undefined && kernel !== undefined && serverRelease !== kernel) {
      return {
        kind: 'fault',
        certainty: byPrint(refused),
        message: `the MPS server is of driver ${serverRelease}, the loaded kernel module of ${kernel}`,
        seen: seen(refused, message, symptom),
        remedies,
        weight: 5,
      };
    }
    if (message !== undefined || ((differs || otherCuda) && symptom !== undefined)) {
      return {
        kind: 'fault',
        certainty:
          message !== undefined
            ? differs || otherCuda || symptom !== undefined
              ? byPrint(message)
              : 'likely'
            : byPrint(server ?? binary, driver ?? cuda),
        message: differs
          ? `the MPS server is of driver ${release}, the driver in use is ${driver.value}`
          : otherCuda
            ? `the MPS server is of CUDA ${Math.floor(number / 1000)}.${Math.floor((number % 1000) / 10)}, the driver serves ${cuda!.value}`
            : 'MPS client and server are of two driver releases',
        seen: seen(
          symptom,
          message,
          differs ? server : otherCuda ? binary : undefined,
          differs ? driver : otherCuda ? cuda : undefined,
        ),
        remedies,
        weight: 5,
      };
    }
    if (symptom === undefined) return { kind: 'silent' };
    return {
      kind: 'unknown',
      missing: [
        missing(
          'said.mps-server-release',
          'tail -n 30 /var/log/nvidia-mps/server.log; nvidia-smi | head -n 4; ps -eo lstart,cmd | grep mps',
        ),
      ],
    };
  },
});
