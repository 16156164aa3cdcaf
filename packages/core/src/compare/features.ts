import type { Evidence } from '../model/document.ts';
import type { Fact, GpuState, JobCollective, Package, Said } from '../model/facts.ts';
import { comparable, hostClass } from './normalise.ts';
import { lineOf } from './value-line.ts';

/** One comparable statement of a fact. */
export interface Feature {
  /** `driver.version`, `package[torch]`, `env[NCCL_ALGO]`. */
  readonly id: string;
  readonly fact: string;
  readonly value: string | number;
  /** It is an element of a list: what the list lacks is known to be not there. */
  readonly element: boolean;
  /** Kind of input in which it would be seen; where a subject has that kind and not the feature, it is `absent`. */
  readonly space: string | null;
  /** What is said of a subject that does not have it: `not installed`. */
  readonly absent: string;
  /** The line of the fact that holds the value. */
  readonly seen: Evidence;
  /** All lines of the fact. */
  readonly lines: readonly Evidence[];
}

/** Fields that name what an object is about, in the order in which they make its key. */
const keys: readonly string[] = [
  'name',
  'unit',
  'module',
  'package',
  'adapter',
  'soname',
  'device',
  'engine',
  'section',
  'key',
  'resource',
  'counter',
  'system',
  'test',
  'what',
  'type',
  'by',
  'kind',
  'component',
];
/** Fields that name one GPU, port, object or moment of many. */
const dropped: ReadonlySet<string> = new Set([
  'gpu',
  'index',
  'uuid',
  'pid',
  'pod',
  'node',
  'host',
  'time',
  'at',
  'address',
  'addresses',
  'object',
  'message',
  'pci',
  'process',
  'link',
  'utilization',
  'cluster',
  'clique',
  'seen',
  'cpus',
  'namespace',
  'interface',
  'anonKiB',
  'shmemKiB',
  'group',
  'id',
  'replays',
  'performanceState',
]);
/** Counters: whether there are any is what counts. */
const counters = /(?:ncorrected|orrected|orrectable|errors|Bit|replays)$/;
const mostNested = 16;

type Add = (
  id: string,
  value: unknown,
  options?: { element?: boolean; space?: string | null; absent?: string },
) => void;

/**
 * What a fact says, as comparable statements.
 * @param hosts names of machines that the subject itself has
 * @param spaceOf kind of input that a line belongs to
 */
export function featuresOf(
  fact: Fact,
  hosts: ReadonlySet<string>,
  spaceOf: (evidence: Evidence) => string,
): readonly Feature[] {
  const out: Feature[] = [];
  const seen = fact.seen[0]!;
  const where = fact.scope === 'container' ? ' (container)' : '';
  const add: Add = (id, value, options = {}) => {
    const text = valueOf(value, hosts);
    if (text === null) return;
    out.push({
      id: `${id}${where}`,
      fact: fact.id,
      value: text,
      element: options.element ?? false,
      space: options.space ?? null,
      absent: options.absent ?? 'not there',
      seen: lineOf(fact.seen, id, text),
      lines: fact.seen,
    });
  };
  const special = specials[fact.id];
  if (special !== undefined) special(fact.value, add, hosts);
  else if (fact.id.startsWith('said.'))
    add(fact.id, 'printed', { space: `said ${spaceOf(seen)}`, absent: 'not printed' });
  else generic(fact.id, fact.value, add);
  return out;
}

function generic(id: string, value: unknown, add: Add): void {
  if (Array.isArray(value)) {
    for (const each of value as readonly unknown[]) if (typeof each === 'string') add(id, each, { element: true });
    if (value.length === 0) add(id, 'none', { element: true });
    return;
  }
  if (typeof value !== 'object' || value === null) {
    add(id, value);
    return;
  }
  const record = value as Readonly<Record<string, unknown>>;
  const named = keys.filter((key) => typeof record[key] === 'string' && Object.keys(record).length > 1);
  const key = named.length === 0 ? '' : `[${named.map((each) => String(record[each])).join(' ')}]`;
  let fields = 0;
  for (const [field, each] of Object.entries(record)) {
    if (named.includes(field) || dropped.has(field) || fields++ > mostNested) continue;
    const name = field === 'value' || field === 'version' || field === 'state' ? `${id}${key}` : `${id}${key}.${field}`;
    if (typeof each === 'number' && counters.test(field)) add(name, each > 0 ? 'above 0' : '0');
    else if (Array.isArray(each))
      for (const element of each as readonly unknown[]) add(name, element, { element: true });
    else if (typeof each === 'object' && each !== null)
      for (const [inner, text] of Object.entries(each)) add(`${name}.${inner}`, text);
    else add(name, each);
  }
  if (fields === 0 && key !== '') add(id, named.map((each) => String(record[each])).join(' '), { element: true });
}

/** A value as it is compared; null where it is unknown. */
function valueOf(value: unknown, hosts: ReadonlySet<string>): string | number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? comparable(value, hosts) || 'empty' : null;
}

/** Facts whose shape needs to be known. */
const specials: Readonly<Record<string, (value: unknown, add: Add, hosts: ReadonlySet<string>) => void>> = {
  package: (value, add) => {
    const { name, version, manager, build } = value as Package;
    add(`package[${name}]`, version, { space: `package ${manager}`, absent: 'not installed' });
    if (build !== undefined && manager === 'dpkg' && build !== 'ii') add(`package.state[${name}]`, build);
  },
  env: (value, add) => {
    const variable = value as { readonly name: string; readonly value: string };
    const space = variable.name.startsWith('NCCL_') ? 'env NCCL' : 'env';
    add(`env[${variable.name}]`, variable.value === '' ? 'empty or not set' : variable.value, {
      space,
      absent: 'not set, as far as printed',
    });
  },
  'gpu.state': (value, add) => {
    const state = value as GpuState;
    add('gpu.state.mig', state.mig);
    add('gpu.state.memory', state.memoryTotalMiB);
    if (typeof state.eccUncorrected === 'number')
      add('gpu.state.ecc-uncorrected', state.eccUncorrected > 0 ? 'above 0' : '0');
    add('gpu.state.answers', (state.failedFields ?? []).length > 0 ? 'no' : 'yes');
    add('gpu.temperature.now', state.temperature);
    add('gpu.power.draw', state.powerWatts);
  },
  'gpu.nvlink': (value, add) => {
    const rate = (value as { readonly gigabytesPerSecond: number | null }).gigabytesPerSecond;
    add('gpu.nvlink', rate === null ? 'inactive' : `${rate} GB/s`);
  },
  'gpu.xid': (value, add) => {
    const event = value as { readonly xid: number; readonly pci: string };
    add(`gpu.xid[${event.xid}]`, 'reported', { space: 'said kernel', absent: 'not reported' });
    add('gpu.xid-slot', event.pci.toLowerCase(), { element: true });
  },
  'gpu.sxid': (value, add) => {
    const event = value as { readonly sxid: number };
    add(`gpu.sxid[${event.sxid}]`, 'reported', { space: 'said kernel', absent: 'not reported' });
  },
  'os.oom-kill': (value, add) => {
    const kill = value as { readonly memcg: boolean };
    add('os.oom-kill', kill.memcg ? 'at the limit of a control group' : 'for want of memory', {
      space: 'said kernel',
      absent: 'not reported',
    });
  },
  // Counts and times of single events; the event itself is a fact of its own.
  'gpu.xid-events': () => undefined,
  'os.oom-report': () => undefined,
  'os.started': () => undefined,
  'net.counter': () => undefined,
  'os.hung-task': (value, add) => {
    const { where } = value as { readonly where: string };
    add('os.hung-task', `waits in: ${where}`, { element: true, space: 'said kernel', absent: 'not reported' });
  },
  'net.counter-growth': (value, add) => {
    const { counter, from, to } = value as { readonly counter: string; readonly from: number; readonly to: number };
    add(`net.counter-growth[${counter}]`, to > from ? 'grows' : 'stands');
  },
  // Ranks of one job are compared with one another: the list of them is what each is, not what differs.
  'job.collective': (value, add) => {
    const { kind, group, operation, sequence } = value as JobCollective;
    const where = `job.collective[${kind}${group === null ? '' : ` in group ${group}`}]`;
    add(`${where}.operation`, operation);
    add(`${where}.sequence`, sequence);
  },
  'program.exception': (value, add) => add('program.exception', (value as { readonly type: string }).type),
  'package.replaced': (value, add) => {
    const change = value as { readonly name: string; readonly to: string };
    add(`package.replaced[${change.name}]`, change.to);
  },
  'file.link': (value, add) => {
    const link = value as { readonly path: string; readonly target: string };
    add(`file.link[${link.path}]`, link.target);
  },
  'loader.resolved': (value, add) => {
    const library = value as { readonly soname: string; readonly path: string | null };
    add(`loader.resolved[${library.soname}]`, library.path ?? 'not found');
  },
  'loader.cache': (value, add) => {
    const library = value as { readonly soname: string; readonly path: string | null };
    add(`loader.cache[${library.soname}]`, library.path ?? 'not found');
  },
  'nccl.rank-path': (value, add) => {
    const path = value as { readonly rank: number; readonly via: readonly string[]; network: number; gdr: number };
    const rank = `nccl.rank-path[rank ${path.rank}]`;
    add(rank, path.via.join(' + '));
    if (path.network > 0) add(`${rank}.gdr`, path.gdr === path.network ? 'all' : path.gdr === 0 ? 'none' : 'some');
  },
  'nccl.transport': (value, add) => add('nccl.transport', value, { element: true }),
  'torch.cuda': (value, add) => add('torch.cuda', value ?? 'built without'),
  'slurm.node': (value, add) => {
    const node = value as { readonly state: string; readonly reason: string | null };
    add('slurm.node', node.state, { element: true });
    add('slurm.node.reason', node.reason, { element: true });
  },
  works: (value, add) => {
    const works = value as { readonly what: string; readonly layer: string };
    add(`works[${works.layer}]`, 'yes');
  },
};

/** The class of the subject's own name. */
export function hostFeature(host: string, seen: Evidence): Feature {
  return {
    id: 'host',
    fact: 'host',
    value: hostClass(host),
    element: false,
    space: null,
    absent: '',
    seen,
    lines: [seen],
  };
}

/** Message of a signature, for its count. */
export function isSaid(fact: Fact): fact is Fact<`said.${string}`> {
  return fact.id.startsWith('said.') && typeof (fact.value as Said).signature === 'string';
}
