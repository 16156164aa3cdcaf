import type { Fact } from '../../model/facts.ts';
import type { Rule, RuleContext } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, seen } from '../container-runtime/_container.ts';
import type { Growth } from './_counters.ts';
import { grewBy, growthsOf, portText } from './_counters.ts';

type Link = Fact<'net.link'>;

export const ibPortSlow: Rule = defineRule({
  id: 'network/ib-port-slow',
  summary: 'A port of the fabric runs slower than it could, or moves nothing while its siblings do',
  needs: [],
  anyOf: ['net.link', 'net.counter-growth'],
  uses: ['ib.port'],
  citations: ['sysfs-infiniband', 'infiniband-port-counters'],
  explains: ['network/nccl-rails-mixed'],
  check(_facts, context) {
    const links = own(context, 'net.link').filter(
      (fact) =>
        // A port without a link reports the lowest speed there is.
        fact.value.gigabits !== null &&
        fact.value.gigabits > 10 &&
        !/down|disabled|polling|init/i.test(fact.value.state ?? '') &&
        isUp(fact, context),
    );
    const remedies = [
      {
        actor: 'node-admin',
        do: 'look at the link: lanes that did not train, a cable or optic of another speed, a switch port that was set lower',
        command: 'mlxlink -d DEVICE -m; ibstat; iblinkinfo --switches-only',
      },
      {
        actor: 'node-admin',
        do: 'reseat or change the cable, then reset the port',
        command: 'mlxlink -d DEVICE -a TG',
      },
    ] as const;
    const slow = slowerThanItself(links, context) ?? slowerThanSiblings(links);
    if (slow !== undefined) {
      return {
        kind: 'fault',
        certainty: slow.certain ? byPrint(slow.fact) : slow.alike ? 'likely' : 'possible',
        message: slow.message,
        seen: seen(slow.fact, slow.other),
        remedies,
        ...(slow.certain
          ? {}
          : { missing: [missing('what the link could run at', 'mlxlink -d DEVICE | grep -iE "speed|width"')] }),
        weight: slow.alike || slow.certain ? 1 : -3,
      };
    }
    const silent = silentPort(context);
    if (silent !== undefined)
      return {
        kind: 'fault',
        certainty: 'possible',
        message: `${portText(silent.idle.value)} moved nothing while ${silent.busy} other ports did`,
        seen: seen(silent.idle, silent.example),
        remedies,
        missing: [missing('whether the job is meant to use this port', 'NCCL_DEBUG=INFO <cmd> 2>&1 | grep "NET/IB"')],
        weight: -2,
      };
    return links.length > 1
      ? {
          kind: 'cleared',
          because: `the ports run at the same speed (${links[0]!.value.gigabits!} Gb/s)`,
          seen: seen(links[0], links[1]),
        }
      : { kind: 'silent' };
  },
});

/** Not known to be down by another output. */
function isUp(link: Link, context: RuleContext): boolean {
  return !own(context, 'ib.port').some(
    (fact) =>
      fact.value.device === link.value.device &&
      (link.value.port === null || fact.value.port === link.value.port) &&
      fact.value.state !== null &&
      fact.value.state !== 'Active',
  );
}

function isInfiniband(link: Link, context: RuleContext): boolean {
  return own(context, 'ib.port').some(
    (fact) => fact.value.device === link.value.device && /infiniband/i.test(fact.value.layer ?? ''),
  );
}

interface Slow {
  readonly fact: Link;
  readonly other: Link | undefined;
  readonly message: string;
  /** The link's own figures decide. */
  readonly certain: boolean;
  /** The adapters are of one kind. */
  readonly alike: boolean;
}

/** Fewer lanes than four, or a lower speed than the one that is enabled: the link's own figures. */
function slowerThanItself(links: readonly Link[], context: RuleContext): Slow | undefined {
  for (const fact of links) {
    const { gigabits, gigabitsEnabled, lanes } = fact.value;
    if (gigabits !== null && gigabitsEnabled !== null && gigabits < gigabitsEnabled * 0.6)
      return {
        fact,
        other: undefined,
        certain: false,
        alike: true,
        message: `the link of ${portText(fact.value)} runs at ${gigabits} Gb/s, and up to ${gigabitsEnabled} Gb/s are enabled`,
      };
    // Adapters with two or one lane exist (HDR100, 25 Gb/s Ethernet): fewer lanes than a sibling of another kind are no sign.
    const wider = links.find(
      (each) => each !== fact && (each.value.lanes ?? 0) >= 4 && each.value.gigabits! > (gigabits ?? 0),
    );
    if (lanes !== null && lanes < 4 && wider !== undefined) {
      const alike = fact.value.model !== null && fact.value.model === wider.value.model;
      return {
        fact,
        other: wider,
        certain: false,
        alike: alike || (lanes === 1 && isInfiniband(fact, context)),
        message: `the link of ${portText(fact.value)} runs on ${lanes} of ${wider.value.lanes!} lanes, at ${gigabits!} Gb/s`,
      };
    }
  }
  return undefined;
}

/** One port below all others of its kind. Adapters of another kind (storage, management) are often slower by design. */
function slowerThanSiblings(links: readonly Link[]): Slow | undefined {
  const kinds = new Map<string, Link[]>();
  for (const link of links) {
    const key = link.value.model ?? '';
    kinds.set(key, [...(kinds.get(key) ?? []), link]);
  }
  for (const [model, group] of kinds) {
    const rates = group.map((link) => link.value.gigabits!);
    const highest = Math.max(...rates);
    const usual = rates.filter((rate) => rate === highest).length;
    const low = group.filter((link) => link.value.gigabits! <= highest * 0.6);
    // Most of them run at the higher speed; half and half is a design.
    if (low.length === 0 || usual < 3 || low.length * 3 > usual) continue;
    const fact = low[0]!;
    return {
      fact,
      other: group.find((link) => link.value.gigabits === highest),
      certain: false,
      alike: model !== '',
      message: `the link of ${portText(fact.value)} runs at ${fact.value.gigabits!} Gb/s, ${usual} others${model === '' ? '' : ` of the same kind (${model})`} at ${highest} Gb/s`,
    };
  }
  return undefined;
}

/** Traffic counters that stand still on one port while most others of the kind move. */
function silentPort(
  context: RuleContext,
): { readonly idle: Growth; readonly busy: number; readonly example: Growth | undefined } | undefined {
  const traffic = growthsOf(context, 'traffic').filter((fact) => fact.value.counter === 'port_xmit_data');
  const moving = traffic.filter((fact) => grewBy(fact) > 0);
  const [idle] = traffic.filter((fact) => grewBy(fact) === 0);
  const most = Math.max(0, ...moving.map(grewBy));
  // Some hundred megabytes: more than heartbeats.
  return idle === undefined || moving.length < 3 || most < 5e7
    ? undefined
    : { idle, busy: moving.length, example: moving[0] };
}
