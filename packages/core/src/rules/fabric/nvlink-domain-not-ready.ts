import type { Fact } from '../../model/facts.ts';
import type { Rule, RuleContext } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';

export const nvlinkDomainNotReady: Rule = defineRule({
  id: 'fabric/nvlink-domain-not-ready',
  summary: 'The GPUs of a multi-node NVLink rack are not registered with their fabric',
  needs: [],
  anyOf: [
    'said.nvlink-domains-differ',
    'gpu.fabric-state',
    'gpu.fabric',
    'said.fabric-cluster',
    'said.nccl-nvls-failed',
  ],
  uses: ['said.cuda-system-not-ready', 'said.nccl-mnnvl-imex', 'gpu.name', 'program.cured-by'],
  citations: ['mnnvl-guide', 'nvidia-smi-manual'],
  explains: [
    'said.cuda-*',
    'said.nccl-*',
    'said.pt-*',
    'fabric/fabric-manager-not-running',
    'fabric/imex-not-ready',
    'application/application-exception',
  ],
  check(_facts, context) {
    const clusters = own(context, 'said.fabric-cluster').filter(
      (fact) => clusterOf(fact) !== undefined && !/^[0-]+$/.test(clusterOf(fact)!),
    );
    const named = [
      ...clusters.map((fact) => ({ cluster: clusterOf(fact)!, fact: fact as Fact })),
      ...own(context, 'gpu.fabric').flatMap((fact) =>
        fact.value.cluster === null || /^[0-]+$|N\/A/i.test(fact.value.cluster)
          ? []
          : [{ cluster: fact.value.cluster, fact: fact }],
      ),
    ];
    const first = named[0];
    const second = named.find((each) => each.cluster.toLowerCase() !== first?.cluster.toLowerCase());
    const rack =
      first?.fact ??
      own(context, 'gpu.name').find((fact) => /\bGB[23]00\b|NVL72|GB[23]00/.test(fact.value)) ??
      own(context, 'said.fabric-cluster')[0];
    const waiting = own(context, 'gpu.fabric-state').find((fact) => /progress|not started/i.test(fact.value));
    const failed = own(context, 'gpu.fabric').find(
      (fact) =>
        fact.value.status !== null &&
        !/success|n\/a/i.test(fact.value.status) &&
        !/progress/i.test(fact.value.state ?? ''),
    );
    const done = own(context, 'gpu.fabric-state').find((fact) => /complete/i.test(fact.value));
    const symptom = [
      ...said(
        context,
        'cuda-system-not-ready',
        'nccl-mnnvl-imex',
        'nccl-cuda-failure',
        'nccl-unhandled-system-error',
        'fabric-handle-refused',
        'nvlink-domains-differ',
      ),
    ][0];
    const remedies = [
      {
        actor: 'node-admin',
        do: 'see what the fabric says of each GPU',
        command: "nvidia-smi -q | grep -A8 -i 'fabric'",
      },
      {
        actor: 'cluster-admin',
        do: 'see that the NVLink switches and their control software (NMX) are up, and that the rack is one partition',
      },
      {
        actor: 'cluster-admin',
        do: 'place all nodes of a job in one domain, or switch multi-node NVLink off for jobs that span two',
        command: 'NCCL_MNNVL_ENABLE=0',
      },
    ] as const;
    const multicast = said(context, 'nccl-nvls-failed')[0];
    if (multicast !== undefined && second === undefined && waiting === undefined && failed === undefined) {
      const off = own(context, 'env').find(
        (fact) => fact.value.name === 'NCCL_NVLS_ENABLE' && fact.value.value === '0' && fact.order > multicast.order,
      );
      const without =
        own(context, 'program.cured-by').find(
          ({ value }) => value.name === 'NCCL_NVLS_ENABLE' && value.value === '0',
        ) ?? (off === undefined ? undefined : own(context, 'works').find((fact) => fact.order > off.order));
      return {
        kind: 'fault',
        certainty: without === undefined ? 'possible' : 'likely',
        message: `NCCL cannot set up multicast on the NVLink switches${without === undefined ? '' : ', and without it the run is good'}: the fabric of the GPUs is not set up as it was`,
        seen: seen(multicast, without),
        remedies: [
          {
            actor: 'node-admin',
            do: 'stop the jobs and reset all GPUs together with Fabric Manager running; a Fabric Manager that was restarted alone leaves them out',
            command: 'systemctl restart nvidia-fabricmanager; nvidia-smi --gpu-reset',
          },
          { actor: 'developer', do: 'until then run without multicast', command: 'NCCL_NVLS_ENABLE=0' },
        ],
        missing: [missing('gpu.fabric', "nvidia-smi -q | grep -A3 -i 'fabric'")],
        explains: ['said.nccl-nvls-failed'],
        weight: 2,
      };
    }
    if (second !== undefined && first !== undefined) {
      if (symptom === undefined)
        return {
          kind: 'unknown',
          missing: [
            missing('said.nccl-mnnvl-imex', 'NCCL_DEBUG=INFO …   # is the job meant to be in one NVLink domain?'),
          ],
        };
      return {
        kind: 'fault',
        certainty: 'likely',
        message: `GPUs of this job are in two NVLink domains: ${first.cluster} and ${second.cluster}`,
        seen: seen(symptom, first.fact, second.fact),
        remedies,
        missing: [missing('gpu.fabric', "nvidia-smi -q | grep -E 'ClusterUUID|CliqueId'   # on every node")],
        weight: 2,
      };
    }
    if (rack === undefined || ownSwitches(context)) return { kind: 'silent' };
    const proof = waiting ?? failed;
    if (proof === undefined)
      return done === undefined
        ? { kind: 'silent' }
        : { kind: 'cleared', because: 'the GPUs are registered with their NVLink fabric', seen: seen(done) };
    return {
      kind: 'fault',
      certainty: symptom === undefined ? 'likely' : byPrint(proof, symptom),
      message:
        waiting === undefined
          ? `the NVLink fabric reports ${failed!.value.status!}`
          : `the NVLink fabric state of a GPU is ${waiting.value}`,
      seen: seen(symptom, proof, rack),
      remedies,
      missing: symptom === undefined ? [missing('said.cuda-system-not-ready', './deviceQuery | tail -n 1')] : [],
      weight: 4,
    };
  },
});

/** A machine whose switches are its own, with the service that sets them up missing: no rack is waited for. */
function ownSwitches(context: RuleContext): boolean {
  const racked = own(context, 'gpu.name').some((fact) => /\bGB[23]00\b|NVL72/.test(fact.value));
  const units = own(context, 'os.service').filter((fact) => /fabric-?manager/i.test(fact.value.unit));
  return !racked && units.length > 0 && units.every((fact) => fact.value.state !== 'active');
}

function clusterOf(fact: Fact<'said.fabric-cluster'>): string | undefined {
  return fact.value.captures['cluster'] ?? fact.value.captures['cluster2'];
}
