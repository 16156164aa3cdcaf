import type { FactValues } from '../model/facts.ts';

type Report = FactValues['os.oom-report'];

/** Numbers of one report as they stand there: pages of the host, kB of zones, bytes or kB of the group. */
export interface Numbers {
  /** Of the host as a whole, in pages. */
  readonly host: Map<string, number>;
  /** Of each node and zone, in kB, added up. */
  readonly nodes: Map<string, number>;
  readonly freeByNode: Map<number, number>;
  /** Statistics of the control group in KiB; several groups of the first version are added up. */
  readonly group: Map<string, number>;
  totalPages: number | null;
  reservedPages: number | null;
  hugeKiB: number | null;
  swapFreeKiB: number | null;
  swapTotalKiB: number | null;
}

export function newNumbers(): Numbers {
  return {
    host: new Map(),
    nodes: new Map(),
    freeByNode: new Map(),
    group: new Map(),
    totalPages: null,
    reservedPages: null,
    hugeKiB: null,
    swapFreeKiB: null,
    swapTotalKiB: null,
  };
}

const groupNames: ReadonlySet<string> = new Set(
  'anon file kernel kernel_stack pagetables percpu sock vmalloc shmem file_mapped unevictable slab slab_reclaimable slab_unreclaimable inactive_anon active_anon inactive_file active_file anon_thp swap hugetlb'.split(
    ' ',
  ),
);

/**
 * Reads one line of a report's memory part into `numbers`.
 * @returns which part it belongs to; null for any other line
 */
export function readMemoryLine(text: string, numbers: Numbers, inGroup: boolean): 'host' | 'group' | null {
  const line = text.trim();
  if (line.length > 2000) return null;
  const node = /^Node (\d{1,4}) /.exec(line);
  if (node !== null) {
    const huge = /hugepages_total=(\d{1,10}) .{0,80}hugepages_size=(\d{1,10})kB/.exec(line);
    if (huge !== null) {
      numbers.hugeKiB = (numbers.hugeKiB ?? 0) + Number(huge[1]) * Number(huge[2]);
      return 'host';
    }
    const zone = / free:\d/.test(line);
    for (const [name, value] of pairs(line, 'kB')) {
      // Zones repeat the node's lists; of them only what a node does not print is taken.
      if (zone && name === 'free') {
        const at = Number(node[1]);
        numbers.freeByNode.set(at, (numbers.freeByNode.get(at) ?? 0) + value);
      }
      if (zone ? name === 'mlocked' || name === 'managed' || name === 'present' || name === 'free' : true)
        numbers.nodes.set(name, (numbers.nodes.get(name) ?? 0) + value);
    }
    return 'host';
  }
  const counted =
    /^(\d{1,15}) pages (RAM|reserved)\b/.exec(line) ?? /^(Free|Total) swap {1,2}= {0,12}(\d{1,15})kB/.exec(line);
  if (counted !== null) {
    if (counted[2] === 'RAM') numbers.totalPages = Number(counted[1]);
    else if (counted[2] === 'reserved') numbers.reservedPages = Number(counted[1]);
    else if (counted[1] === 'Free') numbers.swapFreeKiB = Number(counted[2]);
    else numbers.swapTotalKiB = Number(counted[2]);
    return 'host';
  }
  if (
    /^(?:active_anon|active_file|unevictable|slab_reclaimable|mapped|free|inactive_file|kernel_misc_reclaimable):\d/.test(
      line,
    )
  ) {
    // In pages, without a unit. (The first version of control groups prints its lists in KB on one line.)
    for (const [name, value] of pairs(line, '')) numbers.host.set(name, value);
    return 'host';
  }
  const stats = line.indexOf('Memory cgroup stats for ');
  if (stats >= 0) {
    for (const [name, value] of pairs(line.slice(stats), 'KB'))
      numbers.group.set(name, (numbers.group.get(name) ?? 0) + value);
    return 'group';
  }
  const single = inGroup ? /^([a-z_]{2,32}) (\d{1,18})$/.exec(line) : null;
  if (single !== null && groupNames.has(single[1]!)) {
    if (!numbers.group.has(single[1]!)) numbers.group.set(single[1]!, Math.floor(Number(single[2]) / 1024));
    return 'group';
  }
  return null;
}

/** `name:12kB` of one line, those with the unit asked for. */
function pairs(line: string, unit: string): readonly (readonly [string, number])[] {
  const found: (readonly [string, number])[] = [];
  for (const token of line.split(' ')) {
    const match = /^([a-z_()]{2,32}):(\d{1,15})(kB|KB|)$/.exec(token);
    if (match !== null && match[3] === unit) found.push([match[1]!, Number(match[2])]);
  }
  return found;
}

/** The host's memory in KiB, by the size of a page; null where the report has none of it. */
export function hostMemory(numbers: Numbers, pageKiB: number): Report['memory'] {
  const { host, nodes } = numbers;
  if (host.size === 0 && nodes.size === 0 && numbers.totalPages === null) return null;
  const of = (...names: readonly string[]): number | null => {
    let sum: number | null = null;
    for (const name of names) {
      const pages = host.get(name);
      const value = pages === undefined ? nodes.get(name) : pages * pageKiB;
      if (value !== undefined) sum = (sum ?? 0) + value;
    }
    return sum;
  };
  const kib = (pages: number | null): number | null => (pages === null ? null : pages * pageKiB);
  return {
    totalKiB: kib(numbers.totalPages) ?? nodes.get('present') ?? null,
    reservedKiB: kib(numbers.reservedPages),
    freeKiB: of('free'),
    anonKiB: of('active_anon', 'inactive_anon'),
    fileKiB: of('active_file', 'inactive_file'),
    shmemKiB: of('shmem'),
    unevictableKiB: of('unevictable'),
    mlockedKiB: nodes.get('mlocked') ?? null,
    slabKiB: of('slab_reclaimable', 'slab_unreclaimable'),
    pageTablesKiB: of('pagetables'),
    hugePagesKiB: numbers.hugeKiB,
  };
}

/** The control group's memory in KiB, of either version of control groups. */
export function groupMemory(numbers: Numbers): Report['groupMemory'] {
  const { group } = numbers;
  if (group.size === 0) return null;
  const of = (...names: readonly string[]): number | null => {
    for (const name of names) {
      const value = group.get(name);
      if (value !== undefined) return value;
    }
    return null;
  };
  return {
    // `rss` and `cache` are the words of the first version.
    anonKiB: of('anon', 'rss'),
    fileKiB: of('file', 'cache'),
    shmemKiB: of('shmem'),
    unevictableKiB: of('unevictable'),
    kernelKiB: of('kernel', 'slab'),
  };
}
