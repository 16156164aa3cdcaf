import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { driverPackages, sameRelease } from '../driver/_releases.ts';
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
    const all = [
      ...installed.map((fact) => ({ fact, text: releaseOf(`.${fact.value}`) ?? releaseOf(fact.value) ?? fact.value })),
      ...driverPackages(context),
    ];
    // What is in memory decides: files of another release may still lie about.
    const memory = all.filter((each) => each.fact.id === 'driver.module' && !each.fact.told);
    const matches = (release: string): boolean => memory.some((each) => sameRelease(each.text, release) === true);
    const stale = memory.length === 0 ? undefined : listed.find((fact) => !matches(releaseOf(fact.value)!));
    const lead = stale ?? listed[0];
    const specRelease = named ?? (lead === undefined ? null : releaseOf(lead.value));
    if (specRelease !== null) {
      const known = memory.length > 0 ? memory : all;
      const same = known.find((each) => each.text === specRelease);
      const different = known.find((each) => each.text !== specRelease);
      if (
        different !== undefined &&
        same === undefined &&
        !different.text.split('.').every((part, index) => specRelease.split('.')[index] === part)
      ) {
        return {
          kind: 'fault',
          certainty: file === undefined ? 'likely' : byPrint(file, different.fact),
          message: `the CDI specification names driver files of ${specRelease}, but the host has ${different.text}`,
          seen: seen(file, lead, different.fact),
          remedies,
          weight: 4,
        };
      }
      if (file === undefined) {
        if (same !== undefined)
          return {
            kind: 'cleared',
            because: `the CDI specification names files of ${specRelease}, which is the driver of the host`,
            seen: seen(lead, same.fact),
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
      const first = node ?? file!;
      const absent =
        node === undefined
          ? undefined
          : own(context, 'devices.listed').find(
              (fact) => !fact.value.some((each) => each === node.value.captures['dev']),
            );
      return {
        kind: 'fault',
        certainty: absent === undefined ? 'likely' : byPrint(first, absent),
        message:
          node === undefined
            ? `the container is to get ${pathOf(file!.value.captures)}, which is not on the host`
            : `the CDI specification names ${node.value.captures['dev'] ?? 'a device'}, which the host does not have`,
        seen: seen(first, absent),
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
