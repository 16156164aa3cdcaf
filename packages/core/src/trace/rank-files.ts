/*
 * Which rank of a job a trace is from: what it says itself, else the name of its file.
 */
import type { Trace } from './model.ts';

/** Traces of one job, by rank, and what is to be said of them. */
export interface RankedTraces {
  readonly traces: readonly Trace[];
  readonly left: readonly string[];
}

/** Ranks above this are ids of processes or the like. */
const highestRank = 65_535;

const inName: readonly RegExp[] = [
  /(?:^|[^a-z])(?:global[_-]?)?rank[ _.=-]{0,2}(\d{1,5})(?!\d)/i,
  /(?:^|[^a-z0-9])r(\d{1,5})(?=[^a-z0-9]|$)/i,
  /(?:^|[^a-z])(?:gpu|worker|device|proc|task)[_.=-]?(\d{1,5})(?!\d)/i,
];

/** The rank that the name of a file says; null where it does not. The folder counts where the file's own name is silent. */
export function rankOfName(path: string): number | null {
  const parts = path.split(/[/\\]/).slice(-2).reverse();
  for (const part of parts) {
    for (const pattern of inName) {
      const found = pattern.exec(part.slice(0, 255))?.[1];
      if (found !== undefined && Number(found) <= highestRank) return Number(found);
    }
  }
  return null;
}

/** The process that a file of PyTorch's TensorBoard handler is from: `host_4711` of `host_4711.1700000000.pt.trace.json`. */
function workerOf(path: string): string | null {
  const name = path.split(/[/\\]/).at(-1) ?? '';
  return /^(.{1,200}_\d{1,9})\.\d{6,20}\.pt\.trace\.json/.exec(name.slice(0, 255))?.[1] ?? null;
}

/** The number in which names differ that are alike otherwise: `report.0.sqlite`, `report.1.sqlite`; null where there is none. */
export function numbersThatDiffer(names: readonly string[]): readonly number[] | null {
  if (names.length < 2) return null;
  const cut = names.map((name) => (name.split(/[/\\]/).at(-1) ?? '').slice(0, 255).split(/(\d{1,15})/));
  const [first] = cut;
  if (first === undefined || cut.some((parts) => parts.length !== first.length)) return null;
  const differ = first.flatMap((part, at) => (cut.some((parts) => parts[at] !== part) ? [at] : []));
  const [place] = differ;
  if (place === undefined || differ.length !== 1 || place % 2 === 0) return null;
  const numbers = cut.map((parts) => Number(parts[place]));
  // Ids of processes differ too, and do not begin at 0.
  const small = Math.max(...numbers) <= Math.max(highestRank / 1024, 8 * names.length);
  return small && new Set(numbers).size === numbers.length ? numbers : null;
}

/**
 * Orders traces by rank. A rank that is there twice is taken once; traces that do not say theirs get the ranks that are
 * free, in the order of their names.
 * @param traces as they were read, in the order of their names
 */
export function rankTraces(traces: readonly Trace[]): RankedTraces {
  if (traces.length < 2) return { traces, left: traces.flatMap(missingOf) };
  const left: string[] = [];
  const said = traces.map((trace) => trace.rank);
  const differ = said.every((rank) => rank === null) ? numbersThatDiffer(traces.map(({ file }) => file ?? '')) : null;
  const ranks = traces.map(
    (trace, at) => said[at] ?? differ?.[at] ?? (trace.file === null ? null : rankOfName(trace.file)),
  );
  // Where no trace says it and names agree on one number, the number is not the rank.
  const told = said.some((rank) => rank !== null) || new Set(ranks).size > 1;
  const byRank = new Map<number, Trace>();
  const free: Trace[] = [];
  const workers = new Map<string, string>();
  for (const [at, trace] of traces.entries()) {
    const rank = told ? ranks[at]! : null;
    const worker = rank === null && trace.file !== null ? workerOf(trace.file) : null;
    const before = worker === null ? undefined : workers.get(worker);
    if (before !== undefined)
      left.push(`${trace.file!} is of another time of ${worker!}, as ${before} is, and left out`);
    else if (rank === null) {
      free.push(trace);
      if (worker !== null) workers.set(worker, trace.file!);
    } else {
      const known = byRank.get(rank);
      if (known === undefined) byRank.set(rank, trace);
      else
        left.push(`${trace.file ?? 'a trace'} is of rank ${rank} as ${known.file ?? 'another one'} is, and left out`);
    }
  }
  let next = 0;
  for (const trace of free) {
    while (byRank.has(next)) next++;
    byRank.set(next, trace);
  }
  if (free.length > 0 && byRank.size > 1)
    left.push(`${free.length} of ${traces.length} traces do not say their rank; they are numbered by their names`);
  const ordered = [...byRank]
    .sort(([a], [b]) => a - b)
    .map(([rank, trace]) => (byRank.size === 1 ? trace : { ...trace, rank }));
  return { traces: ordered, left: [...left, ...missing(ordered)] };
}

/** A trace of one rank of several. */
function missingOf(trace: Trace): readonly string[] {
  return trace.rank === null || trace.ranks === null || trace.ranks < 2 ? [] : missing([trace]);
}

function missing(traces: readonly Trace[]): readonly string[] {
  const known = new Set(traces.map(({ rank }) => rank));
  const world = Math.max(...traces.map(({ ranks }) => ranks ?? 0), ...[...known].map((rank) => (rank ?? 0) + 1));
  if (world > highestRank + 1 || known.size >= world) return [];
  const gaps: string[] = [];
  for (let rank = 0; rank < world; rank++) {
    if (known.has(rank)) continue;
    let last = rank;
    while (last + 1 < world && !known.has(last + 1)) last++;
    gaps.push(last === rank ? `${rank}` : `${rank}-${last}`);
    rank = last;
  }
  const shown = gaps.length > 8 ? `${gaps.slice(0, 8).join(', ')}, …` : gaps.join(', ');
  const count = world - known.size;
  return [`of ${world} ranks ${count} ${count === 1 ? 'is' : 'are'} missing: ${shown}`];
}
