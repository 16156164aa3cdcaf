import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import {
  byPrint,
  capture,
  isDriverFile,
  missing,
  noGpuConsequences,
  own,
  releaseOf,
  said,
  seen,
} from './_container.ts';

export const cdiSpecStale: Rule = defineRule({
  id: 'container-runtime/cdi-spec-stale',
  summary: 'The CDI specification names files or devices of an earlier state of the host',
  needs: [],
  anyOf: [
    'said.cdi-stat-host-file',
    'said.cdi-stat-host-device',
    'said.cdi-unresolvable',
    'said.cdi-conflict',
    'cdi.path',
  ],
  uses: [
    'driver.version',
    'driver.module',
    'driver.module-file',
    'driver.library',
    'package',
    'cdi.devices',
    'file.exists',
    'devices.listed',
  ],
  citations: ['container-toolkit-cdi', 'cdi-specification'],
  explains: [...noGpuConsequences, 'said.cdi-*', 'said.nct-*', 'container-runtime/container-toolkit-not-configured'],
  check(_facts, context) {
    const file = said(context, 'cdi-stat-host-file').find((fact) => isDriverFile(pathOf(fact.value.captures)));
    const node = said(context, 'cdi-stat-host-device')[0];
    const unresolved = said(context, 'cdi-unresolvable')[0];
    const conflict = said(context, 'cdi-conflict')[0];
    const listed = own(context, 'cdi.path').filter((fact) => releaseOf(fact.value) !== null);
    const named = file === undefined ? null : releaseOf(pathOf(file.value.captures));
    const remedies = [
      {
        actor: 'node-admin',
        do: 'write the specification anew',
        command: 'nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml',
      },
      {
        actor: 'node-admin',
        do: 'remove older copies, and let the refresh service of the toolkit (1.18 and later) keep it current',
        command: 'ls -l /etc/cdi /var/run/cdi; systemctl enable --now nvidia-cdi-refresh.path',
      },
    ] as const;
    // The release that is really there: the module, the library files, what nvidia-smi says.
    const installed = [
      ...own(context, 'driver.module'),
      ...own(context, 'driver.version'),
      ...own(context, 'driver.module-file'),
      ...own(context, 'driver.library'),
      ...own(context, 'file.exists').filter(
        (fact) => isDriverFile(fact.value) && releaseOf(fact.value) !== null && !fact.value.includes('/compat/'),
      ),
    ];
    const packages = own(context, 'package').filter(
      (fact) =>
        fact.value.manager !== 'pip' &&
        fact.value.manager !== 'conda' &&
        /^(?:(?:lib)?nvidia-|cuda-drivers|libcuda1|xorg-x11-drv-nvidia|kmod-nvidia|akmod-nvidia)/.test(
          fact.value.name,
        ) &&
        /^(?:\d:)?\d{3}\.\d/.test(fact.value.version),
    );
    const releaseFact = (fact: (typeof installed)[number] | (typeof packages)[number]): string =>
      fact.id === 'package'
        ? /\d{3}\.\d{1,3}(?:\.\d{1,3})?/.exec(fact.value.version)![0]
        : (releaseOf(`.${fact.value}`) ?? releaseOf(fact.value) ?? fact.value);
    const specRelease = named ?? (listed[0] === undefined ? null : releaseOf(listed[0].value));
    if (specRelease !== null) {
      const all = [...installed, ...packages];
      const same = all.find((fact) => releaseFact(fact) === specRelease);
      const different = all.find((fact) => releaseFact(fact) !== specRelease);
      if (
        different !== undefined &&
        same === undefined &&
        !releaseFact(different)
          .split('.')
          .every((part, index) => specRelease.split('.')[index] === part)
      ) {
        return {
          kind: 'fault',
          certainty: file === undefined ? 'likely' : byPrint(file, different),
          message: `the CDI specification names driver files of ${specRelease}, but the host has ${releaseFact(different)}`,
          seen: seen(file, listed[0], different),
          remedies,
          weight: 4,
        };
      }
      if (file === undefined) {
        if (same !== undefined)
          return {
            kind: 'cleared',
            because: `the CDI specification names files of ${specRelease}, which is the driver of the host`,
            seen: seen(listed[0], same),
          };
        return { kind: 'silent' };
      }
      return {
        kind: 'fault',
        certainty: 'likely',
        message: `the container is to get ${pathOf(file.value.captures)}, which is not on the host`,
        seen: seen(
          file,
          listed.find((fact) => releaseOf(fact.value) === specRelease),
        ),
        remedies,
        missing: [
          missing(
            'driver.module',
            'cat /proc/driver/nvidia/version; grep -m3 libcuda /etc/cdi/nvidia.yaml /var/run/cdi/nvidia.yaml',
          ),
        ],
        weight: 3,
      };
    }
    if (file !== undefined || node !== undefined) {
      const lead = node ?? file!;
      const absent =
        node === undefined
          ? undefined
          : own(context, 'devices.listed').find(
              (fact) => !fact.value.some((each) => each === node.value.captures['dev']),
            );
      return {
        kind: 'fault',
        certainty: absent === undefined ? 'likely' : byPrint(lead, absent),
        message:
          node === undefined
            ? `the container is to get ${pathOf(file!.value.captures)}, which is not on the host`
            : `the CDI specification names ${node.value.captures['dev'] ?? 'a device'}, which the host does not have`,
        seen: seen(lead, absent),
        remedies,
        missing: absent === undefined ? [missing('devices.listed', 'ls -l /dev/nvidia*; nvidia-ctk cdi list')] : [],
        weight: 2,
      };
    }
    if (conflict !== undefined) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: `two CDI specifications define ${capture([conflict], 'dev') ?? 'the same device'}; one is left from earlier`,
        seen: seen(conflict),
        remedies,
        missing: [missing('cdi.path', 'ls -l /etc/cdi /var/run/cdi')],
        weight: 1,
      };
    }
    if (unresolved === undefined) return { kind: 'silent' };
    const asked = unresolved.value.captures['devices'] ?? '';
    const list = own(context, 'cdi.devices')[0];
    if (list !== undefined && list.value.length > 0) {
      if (list.value.some((each) => asked.split(/, ?/).includes(each))) {
        return { kind: 'cleared', because: 'the specification offers the device that was asked for', seen: seen(list) };
      }
      return {
        kind: 'fault',
        certainty: byPrint(unresolved, list),
        message: `the CDI specification does not offer ${asked}`,
        seen: seen(unresolved, list),
        remedies,
        weight: 3,
      };
    }
    return {
      kind: 'fault',
      certainty: 'possible',
      message: `the CDI specification may be older than ${asked || 'the device'}`,
      seen: seen(unresolved),
      remedies,
      missing: [missing('cdi.devices', 'nvidia-ctk cdi list; ls -l /etc/cdi /var/run/cdi')],
      weight: /=(?:\d|GPU-|MIG-)/.test(asked) ? 1 : -1,
    };
  },
});

function pathOf(captures: Readonly<Record<string, string>>): string {
  return Object.entries(captures).find(([name]) => name.startsWith('path'))?.[1] ?? '';
}
