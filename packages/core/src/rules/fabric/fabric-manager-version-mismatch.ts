import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';

export const fabricManagerVersionMismatch: Rule = defineRule({
  id: 'fabric/fabric-manager-version-mismatch',
  summary: 'Fabric Manager and driver are different releases; they have to agree to the last digit',
  needs: [],
  anyOf: ['said.fm-version-mismatch', 'package'],
  uses: [
    'driver.version',
    'driver.module',
    'said.cuda-system-not-ready',
    'pci.gpus-counted',
    'fabric.nvswitch',
    'gpu.name',
    'os.service',
  ],
  citations: ['fabric-manager-guide'],
  explains: [
    'fabric/fabric-manager-not-running',
    'said.cuda-*',
    'said.pt-*',
    'said.nccl-*',
    'said.fm-*',
    'application/application-exception',
  ],
  check(facts, context) {
    const said = facts['said.fm-version-mismatch'];
    const remedies = [
      {
        actor: 'node-admin',
        do: 'install the Fabric Manager package of the release of the driver, and hold both',
        command: 'apt install nvidia-fabricmanager-BRANCH=VERSION; systemctl restart nvidia-fabricmanager',
      },
    ] as const;
    if (said !== undefined) {
      const { fm, drv } = said.value.captures;
      return {
        kind: 'fault',
        certainty: 'proved',
        message:
          fm === undefined || drv === undefined
            ? 'Fabric Manager reports that its release is not that of the driver'
            : `Fabric Manager is ${fm}, the driver ${drv}`,
        seen: said.seen.slice(0, 2),
        remedies,
        weight: 4,
      };
    }
    const manager = context.all('package').find(
      (fact) =>
        /fabric-?manager/.test(fact.value.name) &&
        /^\d{3}\./.test(fact.value.version) &&
        // A package that was removed leaves its configuration.
        (fact.value.manager !== 'dpkg' || fact.value.build === undefined || /^[ih]/.test(fact.value.build)),
    );
    const driver = facts['driver.module'] ?? facts['driver.version'];
    if (manager === undefined) return { kind: 'silent' };
    if (driver === undefined)
      return { kind: 'unknown', missing: [{ fact: 'driver.module', ask: 'cat /proc/driver/nvidia/version' }] };
    const release = /^\d{3}\.\d{1,3}(?:\.\d{1,2})?/.exec(manager.value.version)?.[0] ?? '';
    const seen = [...manager.seen.slice(0, 1), ...driver.seen.slice(0, 1)];
    if (!driver.value.includes('.'))
      return { kind: 'unknown', missing: [{ fact: 'driver.module', ask: 'cat /proc/driver/nvidia/version' }] };
    if (release === driver.value)
      return { kind: 'cleared', because: `Fabric Manager and driver are both ${release}`, seen };
    const waits = facts['said.cuda-system-not-ready'];
    // Without NVSwitches on a bus that was read nothing waits for it; those of the fifth NVLink are not on the bus.
    const switchless =
      context.all('pci.gpus-counted').some((fact) => !fact.told) &&
      context.all('fabric.nvswitch').length === 0 &&
      !context.all('gpu.name').some((fact) => /\b(?:G?B[23]00|HGX|DGX)\b/.test(fact.value)) &&
      !context
        .all('os.service')
        .some((fact) => /fabric-?manager/i.test(fact.value.unit) && fact.value.state === 'failed');
    if (switchless && waits === undefined) return { kind: 'silent' };
    return {
      kind: 'fault',
      certainty: waits === undefined ? 'likely' : 'proved',
      message: `Fabric Manager is ${release}, the driver ${driver.value}`,
      seen: [...seen, ...(waits?.seen.slice(0, 1) ?? [])],
      remedies,
      weight: 4,
    };
  },
});
