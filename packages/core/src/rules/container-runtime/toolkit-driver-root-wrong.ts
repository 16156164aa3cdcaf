import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, capture, files, hostWorks, missing, noGpuConsequences, own, said, seen } from './_container.ts';

const containerRoot = '/run/nvidia/driver';

export const toolkitDriverRootWrong: Rule = defineRule({
  id: 'container-runtime/toolkit-driver-root-wrong',
  summary: 'The container toolkit looks for the driver under a root where it is not',
  needs: [],
  anyOf: [
    'said.ncc-load-library-failed',
    'said.ncc-ldcache',
    'said.toolkit-driver-root-path',
    'said.nct-cdi-generate-failed',
    'said.nvc-root-missing',
    'said.ncc-other-stage',
    'container.toolkit-setting',
  ],
  uses: ['driver.answers', 'file.exists', 'driver.module'],
  citations: ['container-toolkit-config', 'gpu-operator-docs'],
  explains: [...noGpuConsequences, 'said.ncc-*', 'said.nct-*'],
  check(_facts, context) {
    const failed = [
      ...said(context, 'ncc-load-library-failed'),
      ...said(context, 'ncc-ldcache').filter((fact) =>
        (fact.value.captures['path'] ?? fact.value.captures['proc'] ?? '').startsWith(containerRoot),
      ),
      ...said(context, 'nct-cdi-generate-failed'),
      ...said(context, 'nvc-root-missing'),
      ...said(context, 'ncc-other-stage').filter((fact) =>
        /\bchange root failed\b/i.test(fact.value.captures['text'] ?? fact.seen[0]?.text ?? ''),
      ),
      ...said(context, 'toolkit-driver-root-path').filter((fact) =>
        /no such file|not found|does not exist|cannot|failed|unable/i.test(fact.seen[0]?.text ?? ''),
      ),
    ];
    const settings = own(context, 'container.toolkit-setting');
    const rooted = settings.filter((fact) => fact.value.key === 'root' || fact.value.key === 'ldconfig');
    const root = rooted.find((fact) => fact.value.key === 'root');
    const ldconfig = rooted.find((fact) => fact.value.key === 'ldconfig');
    const underContainer = rooted.filter((fact) => fact.value.value.replace(/^@/, '').startsWith(containerRoot));
    const other = context
      .all('container.toolkit-setting')
      .find((fact) => fact.scope === 'other-host' && fact.value.key === 'root');
    const hostLibrary = files(context, /^\/(?:usr\/lib|lib|usr\/lib64|lib64)\S{0,40}\/lib(?:nvidia-ml|cuda)\.so/)[0];
    const driverOnHost =
      hostLibrary ??
      own(context, 'loader.cache').find((fact) => /^lib(?:nvidia-ml|cuda)\.so/.test(fact.value.soname)) ??
      hostWorks(context) ??
      own(context, 'driver.module')[0];
    const driverInContainer = files(context, /^\/run\/nvidia\/driver\/\S{0,120}lib(?:nvidia-ml|cuda)\.so/)[0];
    const named = capture(said(context, 'toolkit-driver-root-path'), 'root');
    const remedies = [
      {
        actor: 'node-admin',
        do: 'set root and ldconfig of [nvidia-container-cli] to where the driver is: "/" for a driver of the host, /run/nvidia/driver for a driver container',
        command:
          'grep -nE "^ *(root|ldconfig)" /etc/nvidia-container-runtime/config.toml /usr/local/nvidia/toolkit/.config/nvidia-container-runtime/config.toml',
      },
      {
        actor: 'cluster-admin',
        do: 'where the GPU operator wrote it, let its validator decide again: restart the toolkit pod after driver.enabled fits the node',
      },
    ] as const;
    const gone =
      own(context, 'file.absent').find(
        (fact) => /libnvidia-ml|libcuda/.test(fact.value) && !fact.value.startsWith(containerRoot),
      ) ??
      own(context, 'package.absent').find((fact) => /libnvidia-ml|libcuda|nvidia-(?:driver|utils)/.test(fact.value));
    if (gone !== undefined && hostLibrary === undefined)
      return { kind: 'cleared', because: 'the library is not on this host at all', seen: seen(gone) };
    if (
      failed.length === 0 &&
      !(underContainer.length > 0 && hostLibrary !== undefined && driverInContainer === undefined)
    ) {
      if (rooted.length > 0)
        return {
          kind: 'cleared',
          because: 'nothing failed to find the driver under the root that is set',
          seen: seen(rooted[0]),
        };
      return { kind: 'silent' };
    }
    if (underContainer.length > 0 && driverInContainer === undefined) {
      const proof = driverOnHost ?? other;
      return {
        kind: 'fault',
        certainty: failed.length > 0 ? byPrint(underContainer[0], failed[0]) : 'possible',
        message: `the container toolkit looks for the driver under ${containerRoot}${driverOnHost === undefined ? '' : ', but the host has it under /'}`,
        seen: seen(failed[0], ...underContainer, proof),
        remedies,
        weight: 4,
      };
    }
    const plainRoot = root !== undefined && root.value.value === '/';
    if (
      driverInContainer !== undefined &&
      (plainRoot || (root === undefined && failed.length > 0 && hostLibrary === undefined))
    ) {
      return {
        kind: 'fault',
        certainty: byPrint(root ?? failed[0], driverInContainer),
        message: `the container toolkit looks for the driver under /, but it is under ${containerRoot}`,
        seen: seen(failed[0], root, ldconfig, driverInContainer),
        remedies,
        weight: 4,
      };
    }
    if (root !== undefined && root.value.value !== '/' && failed.length > 0) {
      return {
        kind: 'fault',
        certainty: driverOnHost === undefined ? 'likely' : byPrint(root, failed[0]),
        message: `the container toolkit looks for the driver under ${root.value.value} and does not find it`,
        seen: seen(failed[0], root, driverOnHost),
        remedies,
        weight: 3,
      };
    }
    if (rooted.length > 0)
      return { kind: 'cleared', because: 'the root that is set is the one where the driver is', seen: seen(...rooted) };
    if (named === containerRoot && failed.length > 0) {
      return {
        kind: 'fault',
        certainty: driverOnHost === undefined ? 'likely' : byPrint(driverOnHost, failed[0]),
        message: `the driver was looked for under ${containerRoot} and not found there`,
        seen: seen(failed[0], ...said(context, 'toolkit-driver-root-path'), driverOnHost),
        remedies,
        missing:
          driverOnHost === undefined ? [missing('driver.answers', 'nvidia-smi; ls /run/nvidia/driver/usr/lib')] : [],
        weight: 2,
      };
    }
    const moved = failed.find((fact) => /\bchange root failed\b/i.test(fact.seen[0]?.text ?? ''));
    if (moved !== undefined)
      return {
        kind: 'fault',
        certainty: 'likely',
        message: 'the container toolkit is told another root of the driver than /, and that folder is not there',
        seen: seen(moved, driverOnHost),
        remedies,
        missing: [
          missing(
            'container.toolkit-setting',
            'grep -nE "^ *(root|ldconfig)" /etc/nvidia-container-runtime/config.toml',
          ),
        ],
        weight: 2,
      };
    if (said(context, 'ncc-load-library-failed').length === 0) return { kind: 'silent' };
    return {
      kind: 'fault',
      certainty: driverOnHost === undefined ? 'possible' : 'likely',
      message:
        driverOnHost === undefined
          ? 'the container tool finds no driver library: none is installed, or it looks in the wrong place'
          : 'the host’s driver works, but the container tool does not find its library',
      seen: seen(failed[0], driverOnHost),
      remedies,
      missing: [
        missing(
          'container.toolkit-setting',
          'grep -nE "root|ldconfig" /etc/nvidia-container-runtime/config.toml; ldconfig -p | grep nvidia-ml',
        ),
      ],
      weight: 1,
    };
  },
});
