import type { Document, Evidence, Line } from '../model/document.ts';
import type { Fact, FactId, FactValue, Said } from '../model/facts.ts';
import type { FactSink } from '../parse/parser.ts';
import type { Moment } from '../text/when.ts';
import { momentOf } from '../text/when.ts';
import type { Speaker } from '../text/speaker.ts';
import { speakerOf } from '../text/speaker.ts';
import { evidenceOf } from '../text/evidence.ts';
import { isFollower } from '../knowledge/followers.ts';
import type { Timeline } from './timeline.ts';

const mostValues = 400;
const mostEvidence = 6;

interface Entry {
  id: FactId;
  value: unknown;
  seen: Evidence[];
  order: number;
  last: number;
  told: boolean;
  command: string | null;
  scope: Line['scope'];
  origin: Line['origin'];
  count: number;
}

/** Collects facts of one or several documents; equal values of one id are one fact with several places. */
export class FactStore {
  private readonly byId = new Map<FactId, Map<string, Entry>>();
  readonly unread: { readonly what: string; readonly evidence: Evidence }[] = [];
  private readonly places = new WeakMap<Evidence, { readonly document: Document; readonly line: Line }>();
  private readonly timeline: Timeline | null;

  constructor(timeline: Timeline | null = null) {
    this.timeline = timeline;
  }

  /** True where several texts were given whose order in time is not known. */
  get mixed(): boolean {
    return this.timeline?.mixed ?? false;
  }

  /** Who printed a line that a fact was seen in, and when. */
  placeOf(evidence: Evidence): { readonly speaker: Speaker; readonly moment: Moment | null } | null {
    const place = this.places.get(evidence);
    return place === undefined
      ? null
      : { speaker: speakerOf(place.document, place.line), moment: momentOf(place.line) };
  }

  /**
   * A sink for one parser's facts of one document.
   * @param whole the lines of the whole document, where the parser reads those of one process only
   */
  sink(document: Document, source: string, ordinal: number, whole: readonly Line[] | null = null): FactSink {
    const evidence = (line: Line): Evidence => {
      const made = evidenceOf(document, line, source);
      this.places.set(made, { document, line });
      return made;
    };
    return {
      add: (id, value, lines, options) => {
        const list = Array.isArray(lines) ? (lines as readonly Line[]) : [lines as Line];
        const lead = list[0];
        if (lead === undefined) return;
        const index = whole?.[lead.index]?.index ?? lead.index;
        this.put(id, value, list.map(evidence), {
          order: this.timeline?.order(ordinal, index) ?? ordinal * 1e9 + index,
          told: options?.told ?? list.every((line) => line.told),
          command: lead.command,
          scope: lead.scope,
          origin: lead.origin,
        });
      },
      unread: (what, line) => {
        if (this.unread.length < 200) this.unread.push({ what, evidence: evidenceOf(document, line, source) });
      },
    };
  }

  /** Adds a fact that was concluded from lines of several places, which are its evidence. */
  conclude<Id extends FactId>(id: Id, value: FactValue<Id>, seen: readonly Evidence[], order: number): void {
    const at = { order, told: false, command: null, scope: 'unknown' as const, origin: {} };
    this.put(id, value, seen, at);
  }

  private put<Id extends FactId>(
    id: Id,
    value: FactValue<Id>,
    seen: readonly Evidence[],
    at: { order: number; told: boolean; command: string | null; scope: Line['scope']; origin: Line['origin'] },
  ): void {
    let values = this.byId.get(id);
    if (values === undefined) this.byId.set(id, (values = new Map()));
    const key = keyOf(id, value, at.scope);
    const known = values.get(key);
    if (known === undefined) {
      if (values.size >= mostValues && !this.makeRoom(id, value, values)) return;
      values.set(key, { id, value, seen: seen.slice(0, mostEvidence), ...at, last: at.order, count: 1 });
      return;
    }
    known.count++;
    known.last = Math.max(known.last, at.order);
    // In several texts the first place in time may come last.
    if (at.order < known.order && at.told === known.told) {
      known.seen = [...seen, ...known.seen].slice(0, mostEvidence);
      known.order = at.order;
      known.origin = at.origin;
      known.command = at.command;
      return;
    }
    // The fact keeps its first place, but a printed line outranks a told one.
    if (known.told && !at.told) {
      known.seen = [...seen, ...known.seen].slice(0, mostEvidence);
      known.told = false;
    } else if (known.seen.length < mostEvidence) {
      for (const evidence of seen) {
        if (known.seen.length >= mostEvidence) break;
        if (
          !known.seen.some(
            (old) => old.line === evidence.line && old.column === evidence.column && old.file === evidence.file,
          )
        ) {
          known.seen.push(evidence);
        }
      }
    }
  }

  /** Of hundreds of ranks each says the failure of another in its own words: the failure itself must not find the store full. */
  private makeRoom(id: FactId, value: unknown, values: Map<string, Entry>): boolean {
    if (isFollower(id, value)) return false;
    let last: string | undefined;
    for (const [key, entry] of values) if (isFollower(id, entry.value)) last = key;
    if (last === undefined) return false;
    values.delete(last);
    return true;
  }

  /** Every fact of an id: printed ones first, then in the order of the input. */
  all<Id extends FactId>(id: Id): readonly Fact<Id>[] {
    const values = this.byId.get(id);
    if (values === undefined) return [];
    return [...values.values()]
      .sort((a, b) => Number(a.told) - Number(b.told) || a.order - b.order)
      .map((entry) => factOf<Id>(entry));
  }

  ids(): readonly FactId[] {
    return [...this.byId.keys()];
  }

  /** Every fact, in the order of the input. */
  everything(): readonly Fact[] {
    const entries = [...this.byId.values()].flatMap((values) => [...values.values()]);
    return entries.sort((a, b) => a.order - b.order).map((entry) => factOf<FactId>(entry));
  }
}

function factOf<Id extends FactId>(entry: Entry): Fact<Id> {
  const value = entry.id.startsWith('said.') ? { ...(entry.value as Said), count: entry.count } : entry.value;
  return {
    id: entry.id as Id,
    value: value as FactValue<Id>,
    seen: entry.seen,
    order: entry.order,
    ...(entry.last === entry.order ? {} : { last: entry.last }),
    told: entry.told,
    command: entry.command,
    scope: entry.scope,
    origin: entry.origin,
  };
}

function keyOf(id: FactId, value: unknown, scope: string): string {
  // The same release on the host and in the container are two facts.
  return `${scope}\u0000${id.startsWith('said.') ? JSON.stringify((value as Said).captures) : JSON.stringify(value)}`;
}
