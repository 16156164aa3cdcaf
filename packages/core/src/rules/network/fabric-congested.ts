import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { missing, seen } from '../container-runtime/_container.ts';
import type { Growth } from './_counters.ts';
import { byPort, grewBy, grown, growthsOf, growthText, portText } from './_counters.ts';

/** Share of the time between the readings in which the port was told to pause. */
const pausedShare = 0.1;

export const fabricCongested: Rule = defineRule({
  id: 'network/fabric-congested',
  summary: 'The fabric holds back a port: pauses, congestion marks or waiting grow',
  needs: [],
  anyOf: ['net.counter-growth'],
  uses: ['net.counter'],
  citations: ['mlx5-counters', 'mlx5-ethtool-counters', 'infiniband-port-counters'],
  explains: [],
  check(_facts, context) {
    const read = growthsOf(context, 'congestion', 'pause', 'receiver');
    const growing = grown(read);
    const remedies = [
      {
        actor: 'cluster-admin',
        do: 'look at which port of the switch is the narrow one: many senders to one receiver, a slow receiver, or a link of lower speed',
        command: 'ethtool -S IFACE | grep -E "prio.*pause|ecn|discards"; perfquery -x',
      },
      {
        actor: 'cluster-admin',
        do: 'spread the job over rails and switches; check adaptive routing and the ECN settings',
      },
    ] as const;
    const paused = growing.find((fact) => pausedTime(fact) !== null && pausedTime(fact)! >= pausedShare);
    if (paused !== undefined) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: `${portText(paused.value)} was told to pause for ${Math.round(pausedTime(paused)! * 100)} % of the time (${growthText(paused)})`,
        seen: seen(paused),
        remedies,
        missing: [missing('which receiver sends the pauses', 'ethtool -S IFACE | grep tx_prio on the peers')],
        weight: 0,
      };
    }
    const [group] = byPort(growing.filter((fact) => grewBy(fact) >= 1000));
    if (group !== undefined) {
      const lead = group[0]!;
      return {
        kind: 'fault',
        // Marks and waiting are how a busy fabric works; whether they cost time the counters do not say.
        certainty: 'possible',
        message: `the fabric is busy at ${portText(lead.value)}: ${group.slice(0, 3).map(growthText).join(', ')}`,
        seen: seen(...group.slice(0, 3)),
        remedies,
        missing: [missing('the bandwidth that the job reaches', 'all_reduce_perf -b 1G -e 8G -f 2 -g 8')],
        weight: -4,
      };
    }
    return read.length > 0 && growing.length === 0
      ? {
          kind: 'cleared',
          because: 'no pauses, congestion marks or waiting came between two readings',
          seen: seen(read[0]),
        }
      : { kind: 'silent' };
  },
});

/** Of a counter of pause time in microseconds, its share of the time between the readings. */
function pausedTime(fact: Growth): number | null {
  const { counter, seconds } = fact.value;
  return counter.endsWith('pause_duration') && seconds !== null ? Math.min(1, grewBy(fact) / (seconds * 1e6)) : null;
}
