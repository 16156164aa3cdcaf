import { memberEnd, newMember } from './walk.ts';
import { WordTable } from './words.ts';

/** Arguments of events that are read, in the order of their slots. */
const names = [
  'device',
  'context',
  'stream',
  'correlation',
  'grid',
  'block',
  'registers per thread',
  'shared memory',
  'bytes',
  'graph node id',
  'Collective name',
  'Process Group Name',
  'Process Group Description',
  'In msg nelems',
  'dtype',
  'wait_on_stream',
  'wait_on_cuda_event_id',
  'cuda_sync_kind',
  'event_id',
  'size',
  'kind',
  'name',
  'correlation_id',
  'kernel_details',
  'memcpy_details',
  'cuda_event_id',
] as const;

export type ArgumentName = (typeof names)[number];

const slots = Object.fromEntries(names.map((name, slot) => [name, slot])) as Readonly<Record<ArgumentName, number>>;
const table = new WordTable(names, false);

/** The arguments of one event at a time: where the value of each stands in its bytes. */
export class Arguments {
  #spans: Int32Array = new Int32Array(names.length * 2);
  #member = newMember();

  /** @param from the `{` of the arguments; 0 where there are none */
  read(bytes: Uint8Array, from: number, to: number): void {
    this.#spans.fill(0);
    if (from === 0 || bytes[from] !== 0x7b) return;
    const member = this.#member;
    for (let at = from + 1, first = true; ; first = false) {
      at = memberEnd(bytes, at, to, first, member);
      if (at < 0 || member.closed) return;
      const slot = table.find(bytes, member.keyFrom, member.keyTo);
      if (slot < 0) continue;
      this.#spans[slot * 2] = member.valueFrom;
      this.#spans[slot * 2 + 1] = member.valueTo;
    }
  }

  /** Where a value begins; 0 where the event has none of this name. */
  from(name: ArgumentName): number {
    return this.#spans[slots[name] * 2]!;
  }

  to(name: ArgumentName): number {
    return this.#spans[slots[name] * 2 + 1]!;
  }
}
