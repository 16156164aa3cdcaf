// What differs among nodes that should be alike: releases of the driver and of what goes with it, NCCL of the ranks of one
// job, network adapters, and the members of one NVLink domain. Each difference is said once, with who differs.
import type { Evidence } from '../model/document.ts';
import type { Fact, FactId } from '../model/facts.ts';
import type { Certainty, Layer } from '../model/layer.ts';
import type { Remedy } from '../model/rule.ts';
import type { Subject } from './subject.ts';

/** One difference among several targets. */
export interface Skew {
  readonly what: string;
  readonly layer: Layer;
  /** The NVLink domain whose members differ; null for all targets together. */
  readonly domain: string | null;
  /** The rule that a difference of this kind breaks; null where it is only said. */
  readonly rule: string | null;
  /** Null where no rule is broken. */
  readonly certainty: Certainty | null;
  readonly message: string;
  /** Values with the targets that have them, the most frequent first. */
  readonly values: readonly { readonly value: string; readonly targets: readonly string[] }[];
  readonly remedies: readonly Remedy[];
  /** One line for each value. */
  readonly evidence: readonly Evidence[];
}

interface Reading {
  readonly value: string;
  readonly seen: Evidence;
}

interface Aspect {
  readonly what: string;
  readonly plural?: boolean;
  readonly layer: Layer;
  of(subject: Subject): Reading | null;
}

const mostValues = 8;
const mostNamed = 4;

function own<Id extends FactId>(subject: Subject, id: Id): readonly Fact<Id>[] {
  return subject.facts.filter(
    (fact): fact is Fact<Id> =>
      fact.id === id && !fact.told && fact.scope !== 'other-host' && fact.scope !== 'after-fix',
  );
}

function firstOf<Id extends FactId>(
  subject: Subject,
  id: Id,
  text: (value: Fact<Id>['value']) => string | null,
): Reading | null {
  for (const fact of own(subject, id)) {
    const value = text(fact.value);
    if (value !== null && fact.seen[0] !== undefined) return { value, seen: fact.seen[0] };
  }
  return null;
}

/** Release of the driver inside a package's version: `580.95.05-1`, `3:580.95.05-0ubuntu1`. */
function release(version: string): string | null {
  return /^(?:\d{1,2}:)?(\d{3}\.\d{1,3}(?:\.\d{1,3})?)/.exec(version)?.[1] ?? null;
}

function packaged(name: RegExp): Aspect['of'] {
  return (subject) => firstOf(subject, 'package', (each) => (name.test(each.name) ? release(each.version) : null));
}

function ncclOf(subject: Subject): Reading | null {
  return (
    firstOf(subject, 'nccl.version', (value) => value.split('+')[0] ?? null) ??
    firstOf(subject, 'loader.loads', (each) =>
      /^libnccl\.so/.test(each.soname) && each.asker !== null && each.rival === null ? each.version : null,
    ) ??
    firstOf(subject, 'package', (each) => (/^nvidia-nccl(?:-cu\d\d)?$/.test(each.name) ? each.version : null))
  );
}

/** Adapters of a node: how many ports are active, and how fast each kind is. */
function portsOf(subject: Subject): Reading | null {
  const ports = own(subject, 'ib.port');
  const seen = ports[0]?.seen[0];
  if (seen === undefined) return null;
  const kinds = new Map<string, number>();
  for (const { value } of ports) {
    const active = /active/i.test(value.state ?? '');
    const kind = active
      ? `${value.layer ?? 'of unknown kind'}${value.rate === null ? '' : ` ${value.rate} Gb/s`}`
      : 'not active';
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  const text = [...kinds].sort(([a], [b]) => (a < b ? -1 : 1)).map(([kind, count]) => `${count} × ${kind}`);
  return { value: text.join(', '), seen };
}

/** Names of the adapters, of which each is a rail. */
function railsOf(subject: Subject): Reading | null {
  const ports = own(subject, 'ib.port');
  const seen = ports[0]?.seen[0];
  if (seen === undefined) return null;
  return { value: [...new Set(ports.map((fact) => fact.value.device))].sort().join(', '), seen };
}

function firmwareOf(subject: Subject): Reading | null {
  const facts = own(subject, 'ib.firmware');
  const seen = facts[0]?.seen[0];
  if (seen === undefined) return null;
  return { value: [...new Set(facts.map((fact) => fact.value.version))].sort().join(', '), seen };
}

function gpusOf(subject: Subject): Reading | null {
  const names = own(subject, 'gpu.name');
  const seen = names[0]?.seen[0];
  if (seen === undefined) return null;
  const counted = own(subject, 'pci.gpus-counted')[0]?.value ?? own(subject, 'gpu.count')[0]?.value;
  const text = [...new Set(names.map((fact) => fact.value))].sort().join(', ');
  return { value: counted === undefined ? text : `${counted} × ${text}`, seen };
}

const driver: Aspect = {
  what: 'the driver’s kernel module',
  layer: 'driver',
  of: (subject) => firstOf(subject, 'driver.module', (value) => value),
};
const imex: Aspect = { what: 'IMEX', layer: 'fabric', of: packaged(/^nvidia-imex(?:-\d{3})?$/) };
const nccl: Aspect = { what: 'NCCL', layer: 'nccl', of: ncclOf };

const aspects: readonly Aspect[] = [
  driver,
  {
    what: 'the driver’s libraries',
    plural: true,
    layer: 'driver',
    of: (subject) => firstOf(subject, 'driver.library', (value) => value),
  },
  {
    what: 'the flavour of the kernel module',
    layer: 'driver',
    of: (subject) => firstOf(subject, 'driver.flavour', (value) => value),
  },
  { what: 'the fabric manager', layer: 'fabric', of: packaged(/^nvidia-fabric-?manager(?:-\d{3})?$/) },
  imex,
  nccl,
  {
    what: 'the container toolkit',
    layer: 'container-runtime',
    of: (subject) => firstOf(subject, 'container.toolkit-version', (value) => value),
  },
  { what: 'the GPUs', plural: true, layer: 'hardware', of: gpusOf },
  { what: 'the ports of the network adapters', plural: true, layer: 'network', of: portsOf },
  { what: 'the network adapters (rails)', plural: true, layer: 'network', of: railsOf },
  { what: 'the firmware of the network adapters', layer: 'network', of: firmwareOf },
];

/** The NVLink domain of a node: the cluster that its GPUs are registered in, and the partition of it. */
function domainOf(subject: Subject): Reading | null {
  return firstOf(subject, 'gpu.fabric', ({ cluster, clique }) =>
    cluster === null || /^[0-]{1,40}$|n\/a/i.test(cluster)
      ? null
      : `${cluster.toLowerCase()}${clique === null ? '' : ` clique ${clique}`}`,
  );
}

export interface SkewOptions {
  /** The targets are the nodes of one job: their ranks must be alike, and in one NVLink domain. */
  readonly job?: boolean;
}

/**
 * Says what differs among targets that should be alike.
 * @param subjects those that were reached, read by `subjectOf`
 * @returns differences that break a rule first; empty where all that is known is the same
 */
export function skewOf(subjects: readonly Subject[], options: SkewOptions = {}): readonly Skew[] {
  if (subjects.length < 2) return [];
  const job = options.job ?? false;
  const found: Skew[] = [];
  const inDomain = new Set<Aspect>();
  for (const [domain, members] of domains(subjects)) {
    for (const aspect of [driver, imex]) {
      const skew = differ(aspect, members, {
        domain,
        rule: 'fabric/imex-not-ready',
        certainty: 'likely',
        remedies: [
          {
            actor: 'node-admin',
            do: 'give every node of the NVLink domain the same release of driver and IMEX, then start IMEX again on all of them',
            command: 'nvidia-imex-ctl -N',
          },
        ],
      });
      if (skew === null) continue;
      found.push(skew);
      inDomain.add(aspect);
    }
  }
  const split = differ({ what: 'the NVLink domain', layer: 'fabric', of: domainOf }, subjects, {
    domain: null,
    ...(job
      ? {
          rule: 'fabric/nvlink-domain-not-ready',
          certainty: 'likely',
          remedies: [
            {
              actor: 'cluster-admin',
              do: 'place all nodes of a job in one NVLink domain and partition, or switch multi-node NVLink off for jobs that span two',
              command: 'NCCL_MNNVL_ENABLE=0',
            },
          ],
        }
      : told),
  });
  if (split !== null) found.push(split);
  for (const aspect of aspects) {
    if (inDomain.has(aspect)) continue;
    const broken =
      job && aspect === nccl
        ? ({
            rule: 'nccl/nccl-version-differs-across-ranks',
            certainty: 'likely',
            remedies: [{ actor: 'developer', do: 'start every rank from the same image or environment' }],
          } as const)
        : told;
    const skew = differ(aspect, subjects, { domain: null, ...broken });
    // Libraries that differ with their module say nothing more.
    if (skew !== null && !(skew.what === 'the driver’s libraries' && found.some((each) => same(each, skew))))
      found.push(skew);
  }
  return found.sort((a, b) => Number(b.rule !== null) - Number(a.rule !== null));
}

const told = { rule: null, certainty: null, remedies: [] } as const;

function same(a: Skew, b: Skew): boolean {
  const text = (skew: Skew): string => JSON.stringify(skew.values);
  return text(a) === text(b);
}

/** Targets by NVLink domain, of those with several members. */
function domains(subjects: readonly Subject[]): readonly (readonly [string, readonly Subject[]])[] {
  const members = new Map<string, Subject[]>();
  for (const subject of subjects) {
    const domain = domainOf(subject)?.value;
    if (domain !== undefined) members.set(domain, [...(members.get(domain) ?? []), subject]);
  }
  return [...members].filter(([, each]) => each.length > 1).sort(([a], [b]) => (a < b ? -1 : 1));
}

function differ(
  aspect: Aspect,
  subjects: readonly Subject[],
  told: Pick<Skew, 'domain' | 'rule' | 'certainty' | 'remedies'>,
): Skew | null {
  const by = new Map<string, { targets: string[]; seen: Evidence }>();
  for (const subject of subjects) {
    const reading = aspect.of(subject);
    if (reading === null) continue;
    const known = by.get(reading.value);
    if (known === undefined) by.set(reading.value, { targets: [subject.name], seen: reading.seen });
    else known.targets.push(subject.name);
  }
  if (by.size < 2) return null;
  const values = [...by]
    .map(([value, { targets, seen }]) => ({ value, targets: [...targets].sort(), seen }))
    .sort((a, b) => b.targets.length - a.targets.length || (a.value < b.value ? -1 : 1));
  const shown = values.slice(0, mostValues);
  const words = shown.map(({ value, targets }) => `${value} on ${namesOf(targets)}`);
  const where = told.domain === null ? '' : ` of one NVLink domain (${told.domain})`;
  return {
    what: aspect.what,
    layer: aspect.layer,
    ...told,
    message: `${aspect.what} ${aspect.plural === true ? 'differ' : 'differs'} among the nodes${where}: ${words.join('; ')}${values.length > shown.length ? `; ${values.length - shown.length} more` : ''}`,
    values: shown.map(({ value, targets }) => ({ value, targets })),
    evidence: shown.map((each) => each.seen),
  };
}

/** `gpu-1`, `gpu-1 and gpu-2`, `gpu-1, gpu-2, gpu-3 and 12 more`. */
function namesOf(names: readonly string[]): string {
  if (names.length === 1) return names[0]!;
  if (names.length <= mostNamed) return `${names.slice(0, -1).join(', ')} and ${names.at(-1)!}`;
  return `${names.slice(0, mostNamed - 1).join(', ')} and ${names.length - mostNamed + 1} more`;
}
