import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { withoutSwitches } from '../ok/_needless.ts';

export const fabricManagerNotRunning: Rule = defineRule({
  id: 'fabric/fabric-manager-not-running',
  summary: 'Fabric Manager does not run on a machine with NVSwitches, so CUDA does not start',
  needs: [],
  anyOf: ['said.cuda-system-not-ready', 'said.fm-service-failed', 'os.service', 'gpu.fabric-state'],
  uses: ['fabric.nvswitch', 'pci.gpu', 'gpu.name'],
  citations: ['fabric-manager-guide', 'cuda-runtime-types'],
  explains: [
    'said.cuda-*',
    'said.pt-*',
    'said.nccl-*',
    'application/application-exception',
    'framework/*',
    'application/fork-after-cuda-init',
  ],
  check(facts, context) {
    const waits = facts['said.cuda-system-not-ready'];
    const services = context.all('os.service').filter((fact) => /fabric-?manager/i.test(fact.value.unit));
    const running = services.find((fact) => fact.value.state === 'active');
    // In a driver container it runs without a unit of the host.
    const stopped = services.find(
      (fact) =>
        fact.value.state !== 'active' &&
        (fact.value.state === 'failed' || running === undefined || running.order < fact.order),
    );
    const switches = context.all('fabric.nvswitch').find((fact) => fact.value && !fact.told);
    const failed = facts['said.fm-service-failed'];
    const state = context.all('gpu.fabric-state').find((fact) => /progress|not started/i.test(fact.value));
    const remedies = [
      {
        actor: 'node-admin',
        do: 'install Fabric Manager of exactly the release of the driver, and start it',
        command: 'systemctl enable --now nvidia-fabricmanager',
      },
      {
        actor: 'node-admin',
        do: 'read why it stopped, if it does',
        command: 'journalctl -u nvidia-fabricmanager -b | tail -n 50; cat /var/log/fabricmanager.log',
      },
    ] as const;
    const proof = stopped ?? failed;
    const unswitched = withoutSwitches(context);
    if (unswitched !== undefined && waits === undefined && state === undefined)
      return proof === undefined
        ? { kind: 'silent' }
        : {
            kind: 'cleared',
            because: `${unswitched.value} has no NVSwitch, so nothing needs Fabric Manager here`,
            seen: [...proof.seen.slice(0, 1), ...unswitched.seen.slice(0, 1)],
          };
    const seen = [
      ...(waits?.seen.slice(0, 2) ?? []),
      ...(proof?.seen.slice(0, 2) ?? []),
      ...(state?.seen.slice(0, 1) ?? []),
    ];
    if (proof !== undefined && (waits !== undefined || state !== undefined)) {
      return {
        kind: 'fault',
        certainty: 'proved',
        message: `CUDA waits for the NVSwitch fabric, and Fabric Manager ${stopped === undefined ? 'failed' : `is ${stopped.value.state}`}`,
        seen,
        remedies,
        weight: 3,
      };
    }
    if (running !== undefined && stopped === undefined) {
      return { kind: 'cleared', because: 'Fabric Manager is active', seen: running.seen };
    }
    if (waits !== undefined) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: 'CUDA reports that the system is not yet initialised (802): the NVSwitch fabric is not set up',
        seen,
        remedies,
        missing: [
          { fact: 'os.service', ask: 'systemctl status nvidia-fabricmanager; nvidia-smi -q | grep -A2 -i fabric' },
        ],
        weight: 1,
      };
    }
    // A guest's GPUs are given away, and its switches with them or not at all.
    const givenAway = context.all('pci.gpu').some((fact) => /vfio/.test(fact.value.driver ?? ''));
    if (stopped !== undefined && switches !== undefined && !givenAway) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: `the machine has NVSwitches, and Fabric Manager is ${stopped.value.state}: CUDA does not start`,
        seen: [...seen, ...switches.seen.slice(0, 1)],
        remedies,
        weight: 2,
      };
    }
    if (proof !== undefined) {
      return {
        kind: 'fault',
        certainty: failed === undefined ? 'possible' : 'likely',
        message: 'Fabric Manager does not run',
        seen,
        remedies,
        missing: [
          {
            fact: 'whether the machine has NVSwitches',
            ask: 'lspci | grep -i nvswitch; nvidia-smi -q | grep -A2 -i fabric',
          },
        ],
        weight: -1,
      };
    }
    return state === undefined
      ? { kind: 'silent' }
      : {
          kind: 'fault',
          certainty: 'possible',
          message: `the fabric of a GPU is in state ${state.value}`,
          seen,
          remedies,
          missing: [{ fact: 'os.service', ask: 'systemctl status nvidia-fabricmanager' }],
        };
  },
});
