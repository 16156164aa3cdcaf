import type { Document, Line } from '../model/document.ts';
import type { Moment } from '../text/when.ts';
import { momentOf, onOneClock } from '../text/when.ts';
import { streamOf } from '../text/speaker.ts';

/** The order of all lines of all documents. */
export interface Timeline {
  /** Place of a line among all lines. */
  order(ordinal: number, index: number): number;
  /** Several documents whose times cannot be compared, so that their order is only the one in which they were given. */
  readonly mixed: boolean;
}

interface Entry {
  readonly ordinal: number;
  readonly index: number;
  readonly block: number;
  ms: number;
}

const apart = 1e9;
/** Lines that are looked at for their times; more would take too long. */
const mostLines = 400_000;

/**
 * Orders lines by the times they print. Each process's lines keep their order; a line without a time has that of the
 * line before it in its process. Times of different kinds of clocks are not compared: within one text the order of the
 * text then stands, between texts the order is unknown.
 */
export function timelineOf(documents: readonly Document[]): Timeline {
  const given: Timeline = { order: (ordinal, index) => ordinal * apart + index, mixed: false };
  const named = ranksOf(documents);
  const unordered: Timeline = { order: (ordinal, index) => named[ordinal]! * apart + index, mixed: true };
  const total = documents.reduce((sum, each) => sum + each.lines.length, 0);
  const several = documents.filter((each) => each.lines.length > 0).length > 1;
  if (total > mostLines || (!several && !documents.some(hasSeveralSpeakers))) return several ? unordered : given;
  const entries: Entry[] = [];
  const moments: Moment[][] = [];
  documents.forEach((document, ordinal) => {
    moments[ordinal] = document.lines.flatMap((line) => (line.told || line.prompt ? [] : (momentOf(line) ?? [])));
  });
  const clock = mostUsed(moments.flat());
  if (clock === null) return several ? unordered : given;
  const comparable = moments.every(
    (each, ordinal) => documents[ordinal]!.lines.length === 0 || each.some((moment) => moment.clock === clock),
  );
  if (several && !comparable) return unordered;
  const all: Moment[] = [];
  const at: number[] = [];
  documents.forEach((document, ordinal) => {
    let block = 0;
    let command: string | null = null;
    for (const line of document.lines) {
      if (line.prompt || line.command !== command) block++;
      command = line.command;
      const own = line.told || line.prompt ? null : momentOf(line);
      if (own?.clock === clock) {
        at.push(entries.length);
        all.push(own);
      }
      entries.push({ ordinal, index: line.index, block: several ? 0 : block, ms: Number.NaN });
    }
  });
  const scale = onOneClock(all);
  if (scale === null) return several ? unordered : given;
  scale.forEach((ms, i) => (entries[at[i]!]!.ms = ms));
  // What processes print into one place stands in order; only texts that were put one behind the other do not.
  if (!several && !goesBack(entries)) return given;
  carry(entries, documents);
  const sorted = entries
    .map((_, place) => place)
    .sort((a, b) => {
      const [left, right] = [entries[a]!, entries[b]!];
      return left.block - right.block || left.ms - right.ms || a - b;
    });
  const starts: number[] = [];
  let start = 0;
  for (const document of documents) {
    starts.push(start);
    start += document.lines.length;
  }
  const places = new Float64Array(entries.length);
  sorted.forEach((entry, place) => (places[entry] = place));
  return { order: (ordinal, index) => places[starts[ordinal]! + index] ?? ordinal * apart + index, mixed: false };
}

/** Places of documents by their names: what order a folder or an archive lists them in tells nothing. */
function ranksOf(documents: readonly Document[]): readonly number[] {
  const names = documents.map((each) => each.file);
  const given = documents.map((_, ordinal) => ordinal);
  if (names.includes(null) || new Set(names).size < names.length) return given;
  const sorted = [...given].sort((a, b) => (names[a]! < names[b]! ? -1 : 1));
  const ranks = [...given];
  sorted.forEach((ordinal, rank) => (ranks[ordinal] = rank));
  return ranks;
}

/** Clocks of several nodes and buffers of several processes differ by less. */
const slack = 5000;

function goesBack(entries: readonly Entry[]): boolean {
  let latest = Number.NEGATIVE_INFINITY;
  let block = -1;
  for (const entry of entries) {
    if (entry.block !== block) latest = Number.NEGATIVE_INFINITY;
    block = entry.block;
    if (entry.ms < latest - slack) return true;
    if (entry.ms > latest) latest = entry.ms;
  }
  return false;
}

/** Gives lines without a time that of the line before, of the same process where it had one. */
function carry(entries: readonly Entry[], documents: readonly Document[]): void {
  let last = new Map<string, number>();
  let document = -1;
  let block = -1;
  let latest = Number.NEGATIVE_INFINITY;
  for (const entry of entries) {
    if (entry.ordinal !== document || entry.block !== block) {
      last = new Map();
      if (entry.ordinal !== document) latest = Number.NEGATIVE_INFINITY;
      document = entry.ordinal;
      block = entry.block;
    }
    const line: Line = documents[entry.ordinal]!.lines[entry.index]!;
    const key = streamOf(line);
    if (Number.isNaN(entry.ms)) entry.ms = last.get(key) ?? latest;
    else {
      last.set(key, entry.ms);
      latest = Math.max(latest, entry.ms);
      continue;
    }
    // What a launcher prints itself comes when it comes.
    if (key === '' && latest > entry.ms) entry.ms = latest;
  }
}

function hasSeveralSpeakers(document: Document): boolean {
  let first: string | null = null;
  for (const line of document.lines) {
    const key = streamOf(line);
    if (key === '') continue;
    if (first === null) first = key;
    else if (first !== key) return true;
  }
  return false;
}

function mostUsed(moments: readonly Moment[]): Moment['clock'] | null {
  const counts = new Map<Moment['clock'], number>();
  for (const { clock } of moments) counts.set(clock, (counts.get(clock) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? null;
}
