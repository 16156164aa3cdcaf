// The walk from a pod to its GPU, as reports show it.
import type { FactValues } from '../model/facts.ts';
import type { Verdict } from '../model/verdict.ts';

export interface ShownLink {
  readonly name: string;
  readonly sign: string;
  readonly message: string;
  /** Lines of what the API said, where the walk stops. */
  readonly quoted: readonly string[];
}

export interface ShownWalk {
  readonly title: string;
  readonly links: readonly ShownLink[];
  /** What was not looked at, and why; null where the walk came to its end. */
  readonly rest: string | null;
}

const names: Readonly<Record<FactValues['k8s.link']['link'], string>> = {
  pod: 'pod',
  node: 'node',
  'device-plugin': 'device plugin',
  'runtime-class': 'runtime class',
  'container-toolkit': 'container toolkit',
  driver: 'driver',
  container: 'container',
};
const order = Object.keys(names) as readonly FactValues['k8s.link']['link'][];
const signs: Readonly<Record<FactValues['k8s.link']['state'], string>> = {
  holds: '✓',
  broken: '✗',
  upgrading: '…',
  waits: '…',
  unknown: '?',
};
const mostQuoted = 6;

/** The walk that a verdict rests on; null where nothing was walked. */
export function walkOf(verdict: Verdict): ShownWalk | null {
  const facts = verdict.facts.filter((fact) => fact.id === 'k8s.link');
  const links = facts.map((fact) => ({ ...(fact.value as FactValues['k8s.link']), seen: fact.seen }));
  const [first] = links;
  if (first === undefined) return null;
  links.sort((a, b) => order.indexOf(a.link) - order.indexOf(b.link));
  const stop = links.find((each) => each.state === 'broken' || each.state === 'upgrading');
  const behind = order.filter((each) => !links.some((link) => link.link === each)).map((each) => names[each]);
  return {
    title: `From pod ${first.pod} to its GPU`,
    links: links.map(({ link, state, message, seen }) => ({
      name: names[link],
      sign: signs[state],
      message,
      quoted:
        state === 'broken' || state === 'upgrading'
          ? seen.slice(0, mostQuoted).map((each) => each.text.replace(/^\|?\s{0,200}/, ''))
          : [],
    })),
    rest: stop === undefined || behind.length === 0 ? null : `stops here; not looked at: ${behind.join(', ')}`,
  };
}
