import type { Document, Evidence } from '../model/document.ts';
import type { Fact, FactValue } from '../model/facts.ts';
import type { Speaker } from '../text/speaker.ts';
import { speakerOf } from '../text/speaker.ts';
import type { FactStore } from './fact-store.ts';
import { followsException, isFollower } from '../knowledge/followers.ts';

/** What a text tells of a job of several processes. */
export interface Job {
  /** Ranks, nodes, pods or actors that speak or are spoken of. */
  readonly members: number;
  /** The process that evidence comes from, with its node where the text tells it anywhere. */
  whereIs(evidence: Evidence): Speaker | null;
  /** The node of a rank, where it is told once and the same. */
  nodeOf(rank: number): string | undefined;
  /** Of exceptions those of the process that failed first, without what only follows from another's failure. */
  own(exceptions: readonly Fact<'program.exception'>[]): readonly Fact<'program.exception'>[];
}

const communicator = /\brank (\d{1,6}) nranks \d{1,6}\b/;
const processGroup = /\[rank=(\d{1,6}), world_size=\d{1,6}\]/;
const mostLines = 200_000;

/** Nodes of ranks, and ranks of processes, as lines tell them. */
class Places {
  private readonly nodes = new Map<number, string | null>();
  private readonly ranks = new Map<string, number | null>();

  note(rank: number | undefined | null, host: string | undefined | null, pid: number | undefined | null): void {
    if (rank === undefined || rank === null) return;
    if (host !== undefined && host !== null) set(this.nodes, rank, host);
    if (pid === undefined || pid === null) return;
    set(this.ranks, `${host ?? ''}:${pid}`, rank);
    set(this.ranks, `:${pid}`, rank);
  }

  nodeOf(rank: number): string | undefined {
    return this.nodes.get(rank) ?? undefined;
  }

  rankOf(host: string | undefined, pid: number | undefined): number | undefined {
    if (pid === undefined) return undefined;
    return this.ranks.get(`${host ?? ''}:${pid}`) ?? this.ranks.get(`:${pid}`) ?? undefined;
  }
}

/** What is told with two values is not known. */
function set<Key, Value>(map: Map<Key, Value | null>, key: Key, value: Value): void {
  const known = map.get(key);
  map.set(key, known === undefined || known === value ? value : null);
}

/** A key for one process. */
function nameOf(speaker: Speaker): string {
  return speaker.rank === undefined
    ? `${speaker.unit ?? ''}|${speaker.host ?? ''}|${speaker.unit === undefined ? '' : (speaker.pid ?? '')}`
    : `rank ${speaker.rank}`;
}

/**
 * The job that documents come from.
 * @returns null where they tell of one process only
 */
export function jobOf(documents: readonly Document[], store: FactStore): Job | null {
  const places = new Places();
  const members = new Set<string>();
  for (const document of documents) readLines(document, places, members);
  const ends = store.all('job.end');
  const collectives = store.all('job.collective');
  for (const { value } of ends) {
    places.note(value.rank, value.node, value.pid);
    if (value.rank !== null) members.add(`rank ${value.rank}`);
  }
  for (const { value } of collectives) for (const rank of value.ranks) members.add(`rank ${rank}`);
  if (members.size < 2 && ends.length === 0 && collectives.length === 0) return null;
  const whereIs = (evidence: Evidence): Speaker | null => {
    const speaker = store.placeOf(evidence)?.speaker;
    if (speaker === undefined) return null;
    const pid = speaker.pid ?? namedPid(evidence);
    const rank = speaker.rank ?? places.rankOf(speaker.host, pid);
    const host = speaker.host ?? (rank === undefined ? undefined : places.nodeOf(rank));
    return { ...speaker, ...(rank === undefined ? {} : { rank }), ...(host === undefined ? {} : { host }) };
  };
  return {
    members: members.size,
    whereIs,
    nodeOf: (rank) => places.nodeOf(rank),
    own: (exceptions) => ownOf(exceptions, ends, whereIs),
  };
}

/** The process that a kernel line names: of an Xid, or of one that was killed. */
function namedPid(evidence: Evidence): number | undefined {
  const match = /NVRM: Xid .{0,60}\bpid=(\d{1,9})\b|Killed process (\d{1,9}) /.exec(evidence.text);
  return match === null ? undefined : Number(match[1] ?? match[2]);
}

function readLines(document: Document, places: Places, members: Set<string>): void {
  // A file of one rank: what one of its lines tells holds for all.
  let ranks = new Set<number>();
  const hosts = new Set<string>();
  for (const line of document.lines.slice(0, mostLines)) {
    if (line.prompt || line.told || line.command !== null) continue;
    const { rank, host, unit } = line.origin;
    const nccl = line.clean.includes(' NCCL ');
    if (rank === undefined && host === undefined && unit === undefined && !nccl && !line.clean.includes('ank')) {
      if (document.file === null || ranks.size > 0) continue;
    }
    const speaker = speakerOf(document, line);
    const told = nccl
      ? communicator.exec(line.clean)
      : line.clean.includes('[rank=')
        ? processGroup.exec(line.clean)
        : null;
    const own = told === null ? speaker.rank : Number(told[1]);
    places.note(own, speaker.host, speaker.pid);
    if (own !== undefined) ranks.add(own);
    if (speaker.host !== undefined && (own === undefined || nccl)) hosts.add(speaker.host);
    if (own !== undefined) members.add(`rank ${own}`);
    else if (
      speaker.unit !== undefined &&
      unit !== 'kernel' &&
      (speaker.host === undefined || speaker.pid !== undefined)
    )
      members.add(nameOf(speaker));
    if (ranks.size > 4096) ranks = new Set();
  }
  const [rank] = ranks;
  const [host] = hosts;
  if (ranks.size === 1 && hosts.size === 1) places.note(rank, host, null);
}

function ownOf(
  exceptions: readonly Fact<'program.exception'>[],
  ends: readonly Fact<'job.end'>[],
  whereIs: Job['whereIs'],
): readonly Fact<'program.exception'>[] {
  const own = exceptions.filter((fact) => !followsException(fact.value));
  const speakers = own.map((fact) => {
    const [seen] = fact.seen;
    const speaker = seen === undefined ? null : whereIs(seen);
    return speaker === null ? '' : nameOf(speaker);
  });
  const blamed = ends.find((fact) => fact.value.first && fact.value.rank !== null);
  const named = blamed === undefined ? -1 : speakers.indexOf(`rank ${blamed.value.rank}`);
  const first = named >= 0 ? speakers[named] : speakers[firstOf(own)];
  return own.filter((_, at) => speakers[at] === first || speakers[at] === '||' || speakers[at] === '');
}

function firstOf(facts: readonly Fact[]): number {
  let first = 0;
  facts.forEach((fact, at) => {
    if (fact.order < facts[first]!.order) first = at;
  });
  return first;
}

/** `rank 3 on node12`, `pod llm-worker-1/pytorch`, `node12`; null where nothing is known. */
export function wordsOf(speaker: Speaker): string | null {
  const { rank, host, unit } = speaker;
  const node = host === undefined ? '' : ` on ${host}`;
  if (rank !== undefined)
    return unit === undefined || host !== undefined ? `rank ${rank}${node}` : `rank ${rank} in ${unit}`;
  if (unit !== undefined) return `${unit}${node}`;
  return host ?? null;
}

/** Ranks that facts of following failures name; of those that may follow at all. */
export function followersOf(store: FactStore, near: (fact: Fact) => boolean): ReadonlySet<number> {
  const ranks = new Set<number>();
  for (const fact of store.everything()) {
    if (!isFollower(fact.id, fact.value) || !near(fact)) continue;
    if (fact.id === 'job.collective') {
      const value = fact.value as FactValue<'job.collective'>;
      for (const rank of value.ranks) ranks.add(rank);
    } else if (fact.id !== 'job.end' && fact.origin.rank !== undefined) ranks.add(fact.origin.rank);
  }
  return ranks;
}
