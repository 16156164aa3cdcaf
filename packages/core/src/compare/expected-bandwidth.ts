import type { Fact, FactId } from '../model/facts.ts';
import type { NcclBandwidthRow } from '../knowledge/nccl.types.ts';
import type { Expectation } from './diff.ts';
import type { Subject } from './subject.ts';

/** What a run was made on, as far as it shows. */
interface Machine {
  readonly gpus: ReadonlySet<string>;
  readonly perNode: number | null;
  readonly nodes: number | null;
  /** Network adapters of a node: how many, and Gb/s of each. */
  readonly adapters: { readonly count: number; readonly gbps: number } | null;
}

/** What `--platform` names. */
export interface Platform {
  /** Rows of the table that bear the name. */
  readonly rows: readonly NcclBandwidthRow[];
  /** `8xNDR`, `4x200`: adapters of a node. */
  readonly adapters: { readonly count: number; readonly gbps: number } | null;
}

const speeds: Readonly<Record<string, number>> = { edr: 100, hdr: 200, ndr: 400, xdr: 800 };

/**
 * Reads what `--platform` says: a platform of the table or one of its other names, or adapters such as `8xNDR`.
 * @returns null where nothing bears the name
 */
export function platformOf(name: string, table: readonly NcclBandwidthRow[]): Platform | null {
  const wanted = plainName(name);
  const adapters = /^(\d{1,2})x(edr|hdr|ndr|xdr|\d{2,4})$/.exec(wanted);
  if (adapters !== null) {
    const gbps = speeds[adapters[2]!] ?? Number(adapters[2]);
    const rows = table.filter((row) => row.kind === 'per-adapter' && row.adapterGbps === gbps);
    return rows.length === 0 ? null : { rows, adapters: { count: Number(adapters[1]), gbps } };
  }
  const rows = table.filter(
    (row) => plainName(row.platform) === wanted || row.aliases.some((each) => plainName(each) === wanted),
  );
  return rows.length === 0 ? null : { rows, adapters: null };
}

function plainName(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[_\s.]+/g, '-')
    .replace(/^standard-/, '');
}

/**
 * Holds the best result of a subject at each size against what the table expects of its platform.
 * @param told what `--platform` says; null: the facts tell it
 */
export function expectationsOf(
  subject: Subject,
  table: readonly NcclBandwidthRow[],
  told: Platform | null,
): readonly Expectation[] {
  if (subject.bandwidth.length === 0) return [];
  const machine = machineOf(subject.facts);
  const adapters = told?.adapters ?? machine.adapters;
  const rows = (told?.rows ?? table).filter((row) => suits(row, machine, told !== null, adapters));
  const out: Expectation[] = [];
  for (const row of rows) {
    const best = bestOf(subject, row);
    if (best === null) continue;
    const expected = row.kind === 'per-adapter' ? row.busbw * adapters!.count : row.busbw;
    const least = Number((expected * row.tolerance).toFixed(2));
    const measured = best.value.busbw;
    out.push({
      subject: subject.name,
      platform: row.kind === 'per-adapter' ? `${adapters!.count} × ${row.adapterGbps!} Gb/s` : row.platform,
      about: row.about,
      by: told === null ? 'facts' : 'told',
      kind: row.kind,
      collective: row.collective,
      bytes: best.value.bytes,
      measured,
      expected,
      least,
      below: measured < least,
      confirmed: row.confirmed,
      restsOn: row.sources,
      note: row.note,
      evidence: best.seen.slice(0, 1),
    });
  }
  return out.sort(
    (a, b) => a.bytes - b.bytes || Number(b.below) - Number(a.below) || (a.platform < b.platform ? -1 : 1),
  );
}

/** The better side of the smallest measured message that is as large as the row asks for. */
function bestOf(subject: Subject, row: NcclBandwidthRow): Fact<'nccl.bandwidth'> | null {
  const suited = subject.bandwidth.filter(
    ({ value }) => value.collective === row.collective && value.bytes >= row.bytes,
  );
  const bytes = Math.min(...suited.map(({ value }) => value.bytes));
  // A curve that was measured elsewhere says nothing of much larger messages, except that they are not slower.
  const near = row.kind === 'measured' ? suited.filter(({ value }) => value.bytes === bytes) : suited;
  return [...near].sort((a, b) => b.value.busbw - a.value.busbw)[0] ?? null;
}

function suits(row: NcclBandwidthRow, machine: Machine, told: boolean, adapters: Machine['adapters']): boolean {
  if (machine.nodes !== null && (machine.nodes < row.nodesFrom || machine.nodes > (row.nodesTo ?? Infinity)))
    return false;
  if (row.kind === 'per-adapter') {
    if (adapters === null || adapters.gbps !== row.adapterGbps) return false;
    return told || machine.nodes !== null;
  }
  if (machine.perNode !== null && row.gpusPerNode !== null && machine.perNode !== row.gpusPerNode) return false;
  if (told) return true;
  // Between nodes the network decides, which GPUs do not tell.
  if (machine.nodes !== 1 || machine.perNode === null || machine.gpus.size !== 1) return false;
  return row.gpus.some((name) => [...machine.gpus].some((gpu) => isSame(gpu, name.toLowerCase())));
}

/** The same model; boards on SXM sockets are named with the socket or with their memory (`H100 SXM5 80GB`, `H100 80GB HBM3`). */
function isSame(gpu: string, row: string): boolean {
  if (gpu === row) return true;
  const [a, b] = [partsOf(gpu), partsOf(row)];
  return (
    a.socket && b.socket && a.family === b.family && (a.memory === null || b.memory === null || a.memory === b.memory)
  );
}

function partsOf(name: string): { readonly family: string; readonly socket: boolean; readonly memory: string | null } {
  return {
    family: /[a-z]{1,3}\d{2,4}[a-z]?/.exec(name)?.[0] ?? name,
    socket: /sxm|\bhbm3/.test(name),
    memory: /(\d{2,3}) ?gb\b/.exec(name)?.[1] ?? null,
  };
}

/**
 * What a run was made on, in words, where the table has nothing of it; null where nothing shows.
 * @returns `8 × NVIDIA H100 on one node`, and platforms of the table with GPUs of that family
 */
export function unknownPlatform(
  subject: Subject,
  table: readonly NcclBandwidthRow[],
): { readonly words: string; readonly names: readonly string[] } | null {
  const machine = machineOf(subject.facts);
  if (machine.gpus.size === 0 || machine.nodes === null) return null;
  const gpus = [...machine.gpus].map((gpu) => gpu.toUpperCase()).join(' and ');
  const nodes = machine.nodes === 1 ? 'one node' : `${machine.nodes} nodes`;
  const families = new Set([...machine.gpus].map((gpu) => partsOf(gpu).family));
  const near = table.filter(
    (row) => row.gpus.some((gpu) => families.has(partsOf(gpu.toLowerCase()).family)) && suits(row, machine, true, null),
  );
  return {
    words: `${machine.perNode === null ? '' : `${machine.perNode} × `}${gpus} on ${nodes}`,
    names: [...new Set(near.map((row) => row.platform))].slice(0, 4),
  };
}

function machineOf(facts: readonly Fact[]): Machine {
  const all = <Id extends FactId>(id: Id): readonly Fact<Id>[] =>
    facts.filter((fact) => fact.id === id) as readonly Fact[] as readonly Fact<Id>[];
  const gpus = new Set(all('gpu.name').map((fact) => fact.value.toLowerCase().replace(/^nvidia /, '')));
  const most = (id: 'nccl.ranks' | 'nccl.nodes'): number | null => {
    const values = all(id).map((fact) => fact.value);
    return values.length === 0 ? null : Math.max(...values);
  };
  const ranks = most('nccl.ranks');
  const nodes = most('nccl.nodes');
  const perNode = ranks !== null && nodes !== null && nodes > 0 && ranks % nodes === 0 ? ranks / nodes : null;
  return { gpus, nodes, perNode, adapters: adaptersOf(all) };
}

function adaptersOf(all: <Id extends FactId>(id: Id) => readonly Fact<Id>[]): Machine['adapters'] {
  const made = all('nccl.adapter').map((fact) => fact.value);
  const names = new Set(made.map((each) => each.name));
  const rates = new Set(made.map((each) => each.gigabitsPerSecond));
  if (names.size > 0 && rates.size === 1) return { count: names.size, gbps: [...rates][0]! };
  return null;
}
