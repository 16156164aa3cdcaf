import type { Fact } from '../../model/facts.ts';
import type { Rule, RuleContext } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';

/** The state that a fact names. */
function stateOf(fact: Fact): string {
  if (fact.id === 'fabric.imex') return (fact.value as { readonly state: string }).state.toUpperCase();
  const { domain, node, daemon } = (fact.value as { readonly captures: Readonly<Record<string, string>> }).captures;
  return (domain ?? node ?? daemon ?? '').toUpperCase();
}

function states(context: RuleContext): readonly Fact[] {
  return [...said(context, 'imex-state'), ...own(context, 'fabric.imex')].sort((a, b) => a.order - b.order);
}

/** A handle for the fabric that the driver does not permit, where the channels are missing. */
function refusedHandle(context: RuleContext): readonly Fact[] {
  const absent = said(context, 'imex-channel-absent').length > 0;
  return absent
    ? said(context, 'cuda-operation-not-permitted').filter((fact) =>
        /cuMem(?:Create|ExportToShareable|ImportFromShareable)/.test(fact.seen[0]?.text ?? ''),
      )
    : [];
}

const fine = /^(?:UP|READY|CONNECTED)$/;

/** The last state of the domain counts; without one, any node that is not ready. */
function badState(context: RuleContext): Fact | undefined {
  const all = states(context);
  const domain = all.findLast((fact) => /domain/i.test(fact.seen[0]?.text ?? ''));
  if (domain !== undefined) return fine.test(stateOf(domain)) ? undefined : domain;
  return all.find((fact) => stateOf(fact) !== '' && !fine.test(stateOf(fact)));
}

function goodState(context: RuleContext): Fact | undefined {
  return states(context).findLast((fact) => fine.test(stateOf(fact)));
}

export const imexNotReady: Rule = defineRule({
  id: 'fabric/imex-not-ready',
  summary: 'The IMEX service, which shares memory between nodes over NVLink, is not ready',
  needs: [],
  anyOf: [
    'said.imex-not-ready',
    'said.nccl-mnnvl-imex',
    'said.k8s-plugin-imex',
    'said.imex-state',
    'said.imex-channel-absent',
    'said.fabric-handle-refused',
    'said.imex-log-failed',
    'fabric.imex',
    'os.service',
  ],
  uses: ['file.absent', 'said.nccl-cuda-failure'],
  citations: ['imex-guide'],
  explains: [
    'said.nccl-*',
    'said.cuda-*',
    'said.pt-*',
    'said.imex-*',
    'said.fabric-handle-refused',
    'said.k8s-*',
    'said.nvshmem-*',
    'said.runtime-device-eperm',
    'application/application-exception',
    'nccl/*',
    'network/*',
  ],
  check(_facts, context) {
    const bad = badState(context);
    const good = goodState(context);
    const service = own(context, 'os.service').find(
      (fact) => /imex/i.test(fact.value.unit) && fact.value.state !== 'active',
    );
    const channel =
      said(context, 'imex-channel-absent')[0] ??
      said(context, 'k8s-plugin-imex')[0] ??
      own(context, 'file.absent').find((fact) => fact.value.includes('imex-channels'));
    const log = said(context, 'imex-log-failed')[0] ?? said(context, 'imex-not-ready')[0];
    const symptom = [...said(context, 'nccl-mnnvl-imex', 'fabric-handle-refused'), ...refusedHandle(context)][0];
    const remedies = [
      {
        actor: 'node-admin',
        do: 'start IMEX on every node of the domain, with the same node list and the same driver release',
        command: 'systemctl enable --now nvidia-imex; nvidia-imex-ctl -N',
      },
      {
        actor: 'node-admin',
        do: 'open its ports between the nodes',
        command: 'grep -E "PORT|IMEX_CMD" /etc/nvidia-imex/config.cfg',
      },
      {
        actor: 'cluster-admin',
        do: 'make the channel and give it to the container: a ComputeDomain in Kubernetes, or the node itself',
        command: 'ls -l /dev/nvidia-caps-imex-channels; grep imex /proc/devices',
      },
    ] as const;
    const reason = bad ?? service ?? channel ?? log;
    if (reason === undefined && symptom === undefined)
      return good === undefined ? { kind: 'silent' } : { kind: 'cleared', because: 'IMEX is up', seen: seen(good) };
    if (
      symptom === undefined &&
      bad === undefined &&
      log === undefined &&
      said(context, 'k8s-plugin-imex').length === 0
    ) {
      // A machine without multi-node NVLink has neither service nor channel.
      const wanted = own(context, 'gpu.name').find((fact) => /GB[23]00|NVL72|GB10\d/.test(fact.value));
      if (wanted === undefined) return { kind: 'silent' };
    }
    if (bad === undefined && good !== undefined && channel === undefined && service === undefined && log === undefined)
      return { kind: 'cleared', because: 'IMEX is up', seen: seen(good) };
    const state = bad === undefined ? undefined : stateOf(bad);
    return {
      kind: 'fault',
      certainty:
        symptom !== undefined && reason !== undefined
          ? byPrint(symptom, reason)
          : bad !== undefined && /^(?:DOWN|UNAVAILABLE)$/.test(state ?? '')
            ? byPrint(bad)
            : symptom === undefined && /WAIT|INIT|START/.test(state ?? '')
              ? 'possible'
              : 'likely',
      message:
        bad !== undefined
          ? `IMEX is ${state}`
          : service !== undefined
            ? `the IMEX service is ${service.value.state}`
            : channel !== undefined
              ? 'the device node of the IMEX channel is missing'
              : 'memory cannot be shared between the nodes: IMEX is not ready',
      seen: seen(symptom, reason, log === reason ? undefined : log),
      remedies,
      missing:
        reason === undefined
          ? [
              missing(
                'fabric.imex',
                'nvidia-imex-ctl -N; ls -l /dev/nvidia-caps-imex-channels; systemctl status nvidia-imex',
              ),
            ]
          : [],
      weight: 4,
    };
  },
});
