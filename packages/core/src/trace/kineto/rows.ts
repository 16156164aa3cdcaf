/*
 * Events of PyTorch's profiler as rows of a trace. Output of libkineto (output_json.cpp, CuptiActivity.cpp) and of its
 * predecessors: https://github.com/pytorch/kineto
 */
import type { TraceBuilder } from '../builder.ts';
import type { Collective, Synchronisation } from '../model.ts';
import { workKinds } from '../model.ts';
import { Arguments } from './args.ts';
import { categories, mayBeRange, mayBeWait } from './categories.ts';
import { Clock } from './clock.ts';
import { isCollectiveKernel, operationOfArgument, operationOfKernel } from './collective-names.ts';
import { routeOfName } from './copies.ts';
import type { Counts } from './counts.ts';
import { Early, keptEvent } from './early.ts';
import { Loose } from './loose.ts';
import type { Micros } from './numbers.ts';
import { IdTable, microsOf, triple, wholeOf } from './numbers.ts';
import { Pairs } from './pairs.ts';
import { Quotes } from './quotes.ts';
import { rangeKindOf } from './range-kind.ts';
import type { Place } from './scanner.ts';
import { Tracks } from './tracks.ts';
import type { Fields } from './event-walk.ts';
import { categoryAt, field, phaseAt } from './event-walk.ts';
import { NameTable, stringOf } from './words.ts';

const mostRanges = 200_000;
const mostWaits = 1_000_000;
/** Waits of Python that are shorter say nothing, ns. */
const leastWait = 1_000_000;

const synchronisationKinds: readonly (readonly [RegExp, Synchronisation['kind']])[] = [
  [/stream wait event/i, 'stream-wait-event'],
  [/event sync/i, 'event'],
  [/stream sync/i, 'stream'],
  [/context sync|device sync/i, 'context'],
];

/** Turns events into rows, one by one; see `Loose` for those without a category. */
export class Rows {
  readonly clock: Clock = new Clock();
  readonly ids: IdTable = new IdTable();
  readonly loose: Loose;
  /** A call of HIP was seen. */
  rocm = false;
  synchronised = false;
  /** Events of a category of PyTorch. */
  known = 0;
  #builder: TraceBuilder;
  #counts: Counts;
  #names: NameTable;
  #tracks: Tracks;
  #quotes: Quotes;
  #pairs: Pairs;
  #early = new Early();
  #arguments = new Arguments();
  #micros: Micros = { whole: 0, nanos: 0 };
  #routes: number[] = [];
  #collectives = new Map<string, Collective>();
  #waits: (Synchronisation['kind'] | null)[] = [];
  #rangeKinds: (ReturnType<typeof rangeKindOf> | null)[] = [];
  #isHip: (boolean | undefined)[] = [];
  #isNccl: (boolean | undefined)[] = [];
  #nameText: string[] = [];
  #shapeKeys: Float64Array = new Float64Array(8 * 1024).fill(-1);
  #shapeIds: Int32Array = new Int32Array(1024);
  #shape: Float64Array = new Float64Array(8);
  #start = 0;
  #end = 0;
  #unnamed = -1;

  constructor(builder: TraceBuilder, counts: Counts) {
    this.#builder = builder;
    this.#counts = counts;
    this.#names = new NameTable((text) => {
      const index = builder.name(text);
      this.#nameText[index] = text;
      return index;
    });
    this.#tracks = new Tracks(builder, counts);
    this.#quotes = new Quotes(builder.quotes);
    this.#pairs = new Pairs(counts);
    this.loose = new Loose(builder, this.#tracks, counts);
  }

  get namesFull(): boolean {
    return this.#names.full;
  }

  event(bytes: Uint8Array, from: number, to: number, fields: Fields, place: Place): void {
    // XLA ends its list with an empty object.
    if (fields[field.ts * 2] === 0 && fields[field.ph * 2] === 0) return;
    const phase = phaseAt(fields);
    let category = categoryAt(fields);
    if (category < categories.unknown) this.known++;
    // Flows, counters, samples and instants carry no work.
    if (phase !== 0x58 && phase !== 0x42 && phase !== 0x45 && phase !== 0x4d) return;
    if (phase === 0x4d) {
      this.#metadata(bytes, fields);
      return;
    }
    if (category === categories.python && phase === 0x58 && !mayBeWait(bytes, fields[field.name * 2]!)) return;
    if (this.clock.zero === null && category !== categories.ignored && this.#isEarly(bytes, from, to, fields, place))
      return;
    if (phase !== 0x58) category = this.#paired(phase, bytes, fields, category);
    else if (category !== categories.ignored && !this.#times(bytes, fields, category)) return;
    switch (category) {
      case categories.kernel:
      case categories.copy:
      case categories.memset:
        this.#work(bytes, from, to, fields, place, category);
        return;
      case categories.call:
        this.#call(bytes, from, to, fields, place);
        return;
      case categories.synchronisation:
      case categories.eventRecord:
        this.#synchronisation(bytes, fields, category === categories.eventRecord);
        return;
      case categories.annotation:
      case categories.overhead:
      case categories.operator:
      case categories.python:
        this.#range(bytes, fields, category);
        return;
      case categories.unknown:
        this.#unknown(bytes, from, to, fields, place);
        return;
      default:
    }
  }

  /** Keeps an event at the time 0 until the first other time tells whether that can be. */
  #isEarly(bytes: Uint8Array, from: number, to: number, fields: Fields, place: Place): boolean {
    const at = fields[field.ts * 2]!;
    if (at === 0 || !microsOf(bytes, at, fields[field.ts * 2 + 1]!, this.#micros)) return false;
    const { whole, nanos } = this.#micros;
    if (whole === 0 && nanos === 0) return this.#early.add(() => keptEvent(bytes, from, to, fields, place));
    const fits = Clock.isNearZero(this.#micros);
    const kept = this.#early.close();
    if (!fits) this.#counts.noTime += kept.length;
    else if (kept.length > 0) this.#replayEarly(kept);
    return false;
  }

  #replayEarly(kept: ReturnType<Early['close']>): void {
    this.clock.zero = 0;
    for (const each of kept) {
      if (categoryAt(each.fields) < categories.unknown) this.known--;
      this.event(each.bytes, 1, each.bytes.length, each.fields, each.place);
    }
  }

  /** No more events will come. */
  finish(): void {
    const kept = this.#early.close();
    if (kept.length > 0) this.#replayEarly(kept);
    this.loose.finish();
  }

  /** Reads the time and the duration into #start and #end. Operators are asked for their name first: most are of no use. */
  #times(bytes: Uint8Array, fields: Fields, category: number): boolean {
    if (category === categories.operator && !mayBeRange(bytes, fields[field.name * 2]!)) return false;
    if (!this.#time(bytes, fields)) return false;
    const from = fields[field.dur * 2]!;
    const length = from !== 0 && microsOf(bytes, from, fields[field.dur * 2 + 1]!, this.#micros);
    const duration = length ? Clock.duration(this.#micros) : Number.NaN;
    if (Number.isNaN(duration)) {
      this.#counts.noDuration++;
      return false;
    }
    if (duration < 0) this.#counts.negative++;
    this.#end = this.#start + Math.max(0, duration);
    return true;
  }

  #time(bytes: Uint8Array, fields: Fields): boolean {
    const from = fields[field.ts * 2]!;
    const found = from !== 0 && microsOf(bytes, from, fields[field.ts * 2 + 1]!, this.#micros);
    this.#start = found ? this.clock.of(this.#micros) : Number.NaN;
    if (!Number.isNaN(this.#start)) return true;
    this.#counts.noTime++;
    return false;
  }

  #paired(phase: number, bytes: Uint8Array, fields: Fields, category: number): number {
    if (!this.#time(bytes, fields)) return categories.ignored;
    const track = this.#thread(bytes, fields);
    if (phase === 0x42) {
      this.#pairs.begin(track, bytes, fields, category, this.#start);
      return categories.ignored;
    }
    const begun = this.#pairs.end(track);
    if (begun === null || begun.category === categories.ignored) return categories.ignored;
    this.#end = this.#start;
    this.#start = begun.start;
    // The beginning has the name and the arguments; it is read again, from its own bytes.
    this.#replay(begun.bytes, begun.fields, begun.category);
    return categories.ignored;
  }

  #replay(bytes: Uint8Array, fields: Fields, category: number): void {
    const nowhere: Place = { lineOf: () => 0 };
    if (category <= categories.memset) this.#work(bytes, 0, 0, fields, nowhere, category);
    else if (category === categories.call) this.#call(bytes, 0, 0, fields, nowhere);
    else if (category <= categories.eventRecord)
      this.#synchronisation(bytes, fields, category === categories.eventRecord);
    else if (category <= categories.overhead) this.#range(bytes, fields, category);
    else if (category === categories.unknown) this.#unknown(bytes, 0, 0, fields, nowhere);
  }

  #name(bytes: Uint8Array, fields: Fields): number {
    const from = fields[field.name * 2]!;
    if (from !== 0 && bytes[from] === 0x22 && fields[field.name * 2 + 1]! - from > 2)
      return this.#names.of(bytes, from + 1, fields[field.name * 2 + 1]! - 1);
    this.#counts.noName++;
    if (this.#unnamed < 0) {
      this.#unnamed = this.#builder.name('(unnamed)');
      this.#nameText[this.#unnamed] = '(unnamed)';
    }
    return this.#unnamed;
  }

  #thread(bytes: Uint8Array, fields: Fields): number {
    const process = this.#tracks.id(bytes, fields[field.pid * 2]!, fields[field.pid * 2 + 1]!);
    return this.#tracks.thread(process, this.#tracks.id(bytes, fields[field.tid * 2]!, fields[field.tid * 2 + 1]!));
  }

  #number(bytes: Uint8Array, name: Parameters<Arguments['from']>[0]): number | null {
    const from = this.#arguments.from(name);
    return from === 0 ? null : wholeOf(bytes, from, this.#arguments.to(name));
  }

  #text(bytes: Uint8Array, name: Parameters<Arguments['from']>[0]): string | null {
    const from = this.#arguments.from(name);
    if (from === 0) return null;
    const quoted = bytes[from] === 0x22 ? 1 : 0;
    const end = Math.min(this.#arguments.to(name) - quoted, from + 400);
    return end > from + quoted ? stringOf(bytes, from + quoted, end) : null;
  }

  #correlation(bytes: Uint8Array): number {
    for (const name of ['correlation', 'correlation_id'] as const) {
      const from = this.#arguments.from(name);
      if (from !== 0) return this.ids.of(bytes, from, this.#arguments.to(name));
    }
    return -1;
  }

  #work(bytes: Uint8Array, from: number, to: number, fields: Fields, place: Place, category: number): void {
    const values = this.#arguments;
    values.read(bytes, fields[field.args * 2]!, fields[field.args * 2 + 1]!);
    const device = this.#number(bytes, 'device') ?? this.#tracks.id(bytes, fields[6]!, fields[7]!);
    const id = this.#number(bytes, 'stream') ?? this.#tracks.id(bytes, fields[8]!, fields[9]!);
    const stream = this.#tracks.stream(device, this.#number(bytes, 'context'), id);
    const name = this.#name(bytes, fields);
    const isKernel = category === categories.kernel;
    const isCopy = category === categories.copy;
    this.#builder.work(
      {
        kind: isKernel ? workKinds.kernel : isCopy ? workKinds.copy : workKinds.memset,
        start: this.#start,
        end: this.#end,
        stream,
        name,
        correlation: this.#correlation(bytes),
        detail: isKernel ? this.#shapeOf(bytes) : isCopy ? this.#route(name) : -1,
        bytes: isKernel ? 0 : Math.max(0, this.#number(bytes, 'bytes') ?? this.#number(bytes, 'size') ?? 0),
        graphNode: Math.max(0, this.#number(bytes, 'graph node id') ?? 0),
      },
      isKernel ? this.#collective(bytes, name) : null,
    );
    this.#quotes.work(name, stream, bytes, from, to, fields, place);
  }

  #route(name: number): number {
    return (this.#routes[name] ??= this.#builder.route(routeOfName(this.#nameText[name]!)));
  }

  #shapeOf(bytes: Uint8Array): number {
    const values = this.#arguments;
    const shape = this.#shape;
    if (!triple(bytes, values.from('grid'), values.to('grid'), shape, 0)) return -1;
    if (!triple(bytes, values.from('block'), values.to('block'), shape, 3)) return -1;
    shape[6] = this.#number(bytes, 'registers per thread') ?? -1;
    shape[7] = this.#number(bytes, 'shared memory') ?? -1;
    let hash = 0;
    for (let at = 0; at < 8; at++) hash = (Math.imul(hash, 31) + shape[at]!) | 0;
    const slot = (hash ^ (hash >>> 12)) & 1023;
    let same = true;
    for (let at = 0; at < 8; at++) if (this.#shapeKeys[slot * 8 + at] !== shape[at]) same = false;
    if (same) return this.#shapeIds[slot]!;
    const id = this.#builder.shape({
      grid: [shape[0]!, shape[1]!, shape[2]!],
      block: [shape[3]!, shape[4]!, shape[5]!],
      registers: shape[6] < 0 ? null : shape[6],
      // The sum of both kinds, which may exceed what is static at most: what of it is dynamic is not told.
      staticShared: null,
      dynamicShared: shape[7] < 0 ? null : shape[7],
    });
    this.#shapeKeys.set(shape, slot * 8);
    this.#shapeIds[slot] = id;
    return id;
  }

  #collective(bytes: Uint8Array, name: number): Collective | null {
    const isNccl = (this.#isNccl[name] ??= isCollectiveKernel(this.#nameText[name]!));
    if (!isNccl) return null;
    const said = this.#text(bytes, 'Collective name');
    const operation = said === null ? operationOfKernel(this.#nameText[name]!) : operationOfArgument(said);
    const group = this.#text(bytes, 'Process Group Name') ?? this.#text(bytes, 'Process Group Description');
    const elements = this.#number(bytes, 'In msg nelems');
    const type = this.#text(bytes, 'dtype');
    const key = `${operation} ${group} ${elements} ${type}`;
    const known = this.#collectives.get(key);
    if (known !== undefined) return known;
    const collective: Collective = { operation, group, elements, type };
    if (this.#collectives.size < 100_000) this.#collectives.set(key, collective);
    return collective;
  }

  #call(bytes: Uint8Array, from: number, to: number, fields: Fields, place: Place): void {
    this.#arguments.read(bytes, fields[field.args * 2]!, fields[field.args * 2 + 1]!);
    const name = this.#name(bytes, fields);
    const isHip = (this.#isHip[name] ??= this.#nameText[name]!.startsWith('hip'));
    if (isHip) this.rocm = true;
    const thread = this.#thread(bytes, fields);
    this.#builder.call(this.#start, this.#end, name, thread, this.#correlation(bytes));
    this.#quotes.call(name, bytes, from, to, fields, place);
  }

  #synchronisation(bytes: Uint8Array, fields: Fields, isRecord: boolean): void {
    const values = this.#arguments;
    values.read(bytes, fields[field.args * 2]!, fields[field.args * 2 + 1]!);
    this.synchronised = true;
    const name = this.#name(bytes, fields);
    const kind = isRecord
      ? 'event-record'
      : (this.#waits[name] ??=
          synchronisationKinds.find(([pattern]) =>
            pattern.test(this.#text(bytes, 'cuda_sync_kind') ?? this.#nameText[name]!),
          )?.[1] ?? 'event');
    const device = this.#number(bytes, 'device') ?? this.#tracks.id(bytes, fields[6]!, fields[7]!);
    const id = streamOrNone(this.#number(bytes, 'stream'));
    const waitedFor = streamOrNone(this.#number(bytes, 'wait_on_stream'));
    const context = this.#number(bytes, 'context');
    const event =
      this.#number(bytes, 'wait_on_cuda_event_id') ??
      this.#number(bytes, 'cuda_event_id') ??
      this.#number(bytes, 'event_id');
    if (this.#builder.synchronisations.length >= mostWaits) {
      this.#counts.waits++;
      return;
    }
    this.#builder.synchronisations.push({
      kind,
      start: this.#start,
      end: this.#end,
      stream: id < 0 ? -1 : this.#tracks.stream(device, context, id),
      event: event === null || event < 0 ? null : event,
      ...(waitedFor < 0 ? {} : { waitsFor: this.#tracks.stream(device, context, waitedFor) }),
    });
  }

  #range(bytes: Uint8Array, fields: Fields, category: number): void {
    const isWait = category === categories.python;
    if (isWait && this.#end - this.#start < leastWait) return;
    if (this.#builder.ranges.length >= mostRanges) {
      this.#counts.ranges++;
      return;
    }
    const name = this.#name(bytes, fields);
    const text = this.#nameText[name]!;
    const kind = isWait ? 'wait' : (this.#rangeKinds[name] ??= rangeKindOf(text));
    if (category === categories.operator && kind === 'other') return;
    this.#builder.ranges.push({
      start: this.#start,
      end: this.#end,
      name: text,
      thread: this.#thread(bytes, fields),
      kind,
    });
  }

  #metadata(bytes: Uint8Array, fields: Fields): void {
    const nameFrom = fields[field.name * 2]!;
    if (nameFrom === 0) return;
    const what = stringOf(bytes, nameFrom + 1, Math.min(fields[field.name * 2 + 1]! - 1, nameFrom + 40));
    if (what !== 'process_name' && what !== 'thread_name') return;
    this.#arguments.read(bytes, fields[field.args * 2]!, fields[field.args * 2 + 1]!);
    const text = this.#text(bytes, 'name') ?? '';
    const process = this.#tracks.id(bytes, fields[6]!, fields[7]!);
    const thread = this.#tracks.id(bytes, fields[8]!, fields[9]!);
    if (what === 'process_name') this.loose.process(process, text);
    else this.loose.thread(process, thread, text);
  }

  #unknown(bytes: Uint8Array, from: number, to: number, fields: Fields, place: Place): void {
    const process = this.#tracks.id(bytes, fields[6]!, fields[7]!);
    const thread = this.#tracks.id(bytes, fields[8]!, fields[9]!);
    if (!this.loose.wanted(process)) return;
    this.#arguments.read(bytes, fields[field.args * 2]!, fields[field.args * 2 + 1]!);
    const name = this.#name(bytes, fields);
    this.loose.add({
      process,
      thread,
      name,
      text: this.#nameText[name]!,
      start: this.#start,
      end: this.#end,
      correlation: this.#correlation(bytes),
      details: this.#text(bytes, 'kernel_details') ?? this.#text(bytes, 'memcpy_details'),
    });
    this.#quotes.track(name, bytes, from, to, fields, place);
  }
}

/** Waits of the whole context have the stream -1, which some profilers print without its sign. */
function streamOrNone(id: number | null): number {
  return id === null || id < 0 || id >= 2 ** 31 ? -1 : id;
}
