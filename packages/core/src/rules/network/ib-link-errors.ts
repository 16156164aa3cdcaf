import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';
import type { Growth } from './_counters.ts';
import { byPort, grewBy, grown, growthsOf, growthText, isMuch, perHour, portText, singlesOf } from './_counters.ts';

/** Symbol errors of a sound link: one in 10^12 bits, which is about two a minute at the speeds of today. */
const symbolsPerHour = 120;
const symbolsInAll = 100;

/** Grows on a link that fails, not by chance. */
function isGrave(fact: Growth): boolean {
  const { counter } = fact.value;
  if (counter === 'symbol_error' || counter === 'rx_symbol_err_phy' || counter === 'effective_physical_errors') {
    const rate = perHour(fact);
    return rate === null ? grewBy(fact) >= symbolsInAll : rate > symbolsPerHour && grewBy(fact) >= 10;
  }
  // A link goes down once for a restart of a node or a switch.
  if (counter === 'link_downed' || counter === 'link_error_recovery')
    return grewBy(fact) >= 2 || (fact.value.seconds !== null && fact.value.seconds <= 3600);
  return isMuch(fact);
}

export const ibLinkErrors: Rule = defineRule({
  id: 'network/ib-link-errors',
  summary: 'A link of the fabric has errors that grow: cable, optic or port',
  needs: [],
  anyOf: ['net.counter-growth', 'net.counter', 'net.link'],
  uses: ['said.nccl-ib-completion-error', 'said.nic-link-down'],
  citations: ['infiniband-port-counters', 'mlx5-counters', 'mlx5-ethtool-counters'],
  explains: [
    'network/nccl-peer-unreachable',
    'network/roce-not-lossless',
    'network/fabric-congested',
    'said.nccl-*',
    'said.pt-*',
    'said.rdma-counter-lossy',
  ],
  check(_facts, context) {
    const read = growthsOf(context, 'link');
    const grave = grown(read).filter(isGrave);
    const [worst] = byPort(grave);
    const lead = worst?.[0];
    const recommended = own(context, 'net.link').find((fact) =>
      /bad|signal integrity|cable|unsupported|not recommended|high ber|signal not detected/i.test(
        fact.value.recommendation ?? '',
      ),
    );
    const remedies = [
      { actor: 'cluster-admin', do: 'keep jobs off this port until it is repaired' },
      {
        actor: 'node-admin',
        do: 'clean or change cable and optic, then the port; read the counters of the switch port at the other end as well',
        command: 'mlxlink -d DEVICE -m -c; perfquery -x; ibdiagnet -P all=1',
      },
    ] as const;
    if (lead !== undefined && worst !== undefined) {
      const symptom =
        said(context, 'nic-link-down')[0] ??
        said(context, 'nccl-ib-completion-error').find((fact) =>
          fact.seen.some((each) => each.text.includes(lead.value.device)),
        );
      const proved = symptom !== undefined || worst.length > 1;
      return {
        kind: 'fault',
        certainty: proved ? byPrint(...worst) : 'likely',
        message: `the link of ${portText(lead.value)} has errors that grow: ${worst.slice(0, 3).map(growthText).join(', ')}`,
        seen: seen(...worst.slice(0, 3), symptom, recommended),
        remedies,
        ...(proved ? {} : { missing: [missing('what the link itself says', 'mlxlink -d DEVICE -m -c')] }),
        weight: 2,
      };
    }
    if (recommended !== undefined)
      return {
        kind: 'fault',
        certainty: 'likely',
        message: `the adapter says of the link of ${portText(recommended.value)}: ${recommended.value.recommendation!}`,
        seen: seen(recommended),
        remedies,
        missing: [missing('whether errors grow', 'perfquery -x; sleep 60; perfquery -x')],
        weight: 1,
      };
    const few = grown(read)[0];
    const once = singlesOf(context, 'link').filter(
      (fact) => fact.value.counter !== 'link_downed' && fact.value.value >= symbolsInAll,
    )[0];
    if (few !== undefined || once !== undefined) {
      const fact = few ?? once!;
      return {
        kind: 'fault',
        certainty: 'possible',
        message:
          few === undefined
            ? `${portText(once!.value)} counts ${once!.value.counter} ${once!.value.value} since it was last reset; whether that grows is not known`
            : `${portText(few.value)} has a few errors: ${growthText(few)}`,
        seen: seen(fact),
        remedies,
        missing: [missing('whether the counters grow', 'perfquery -x; sleep 60; perfquery -x')],
        weight: -3,
      };
    }
    return read.length > 0
      ? {
          kind: 'cleared',
          because: 'the error counters of the links did not grow between two readings',
          seen: seen(read[0]),
        }
      : { kind: 'silent' };
  },
});
