import type { Direction, MemoryKind } from '../model.ts';
import { workKinds } from '../model.ts';
import { copyKindsOf, memoryKindsOf, migrationCausesOf } from './enums.ts';
import { Quotes } from './quotes.ts';
import type { Reading } from './reading.ts';
import { isTime, scanTable } from './reading.ts';
import { known, nothing, planOf } from './tables.ts';

/** Names of copies as `nsys stats` prints them. */
const operations: Readonly<Record<Direction, string>> = {
  HtoD: '[CUDA memcpy Host-to-Device]',
  DtoH: '[CUDA memcpy Device-to-Host]',
  DtoD: '[CUDA memcpy Device-to-Device]',
  HtoH: '[CUDA memcpy Host-to-Host]',
  PtoP: '[CUDA memcpy Peer-to-Peer]',
  UVM_HtoD: '[CUDA memcpy Unified Host-to-Device]',
  UVM_DtoH: '[CUDA memcpy Unified Device-to-Host]',
  UVM_DtoD: '[CUDA memcpy Unified Device-to-Device]',
  unknown: '[CUDA memcpy]',
};

/** Reads CUPTI_ACTIVITY_KIND_MEMCPY, migrations of managed memory among them; @returns how many rows */
export function readCopies(reading: Reading): number {
  const { db, builder, places, time } = reading;
  const plan = planOf(db, 'CUPTI_ACTIVITY_KIND_MEMCPY', {
    start: { sql: time('start'), needs: ['start'], orNothing: true },
    end: { sql: time('end'), needs: ['end'] },
    device: { sql: 'deviceId' },
    context: { sql: 'contextId' },
    stream: { sql: 'streamId' },
    correlation: { sql: 'correlationId' },
    process: { sql: 'globalPid' },
    bytes: { sql: 'bytes' },
    kind: { sql: 'copyKind', orNothing: true },
    from: { sql: 'srcKind', orNothing: true },
    to: { sql: 'dstKind', orNothing: true },
    cause: { sql: 'migrationCause', orNothing: true },
    node: { sql: 'graphNodeId' },
  });
  if (plan === null) return 0;
  const { at, row } = plan;
  const quotes = new Quotes(reading, plan.table);
  const directionOf = copyKindsOf(db);
  const memoryOf = memoryKindsOf(db);
  const causeOf = migrationCausesOf(db);
  const routes = new Map<number, { readonly route: number; readonly name: number }>();
  const code = (value: number): number => (value >= 0 && value < 255 ? value : 255);
  const routeOf = (): { readonly route: number; readonly name: number } => {
    const [kind, from, to, cause] = [row[at.kind]!, row[at.from]!, row[at.to]!, row[at.cause]!];
    const key = code(kind) + code(from) * 2 ** 8 + code(to) * 2 ** 16 + code(cause) * 2 ** 24;
    const before = routes.get(key);
    if (before !== undefined) return before;
    const memory = [from, to].map((each) => (each === nothing ? 'unknown' : memoryOf(each)));
    const [source, target] = memory as [MemoryKind, MemoryKind];
    const direction = kind === nothing ? directionBetween(source, target) : directionOf(kind);
    const made = {
      route: builder.route({
        direction,
        from: sideOf(direction, 0, source),
        to: sideOf(direction, 1, target),
        migrationCause: known(cause) === null ? null : causeOf(cause),
      }),
      name: builder.name(operations[direction]),
    };
    routes.set(key, made);
    return made;
  };
  return scanTable(reading, plan, (_, count) => {
    const start = row[at.start]!;
    if (!isTime(start)) return false;
    const { route, name } = routeOf();
    const stream = places.stream(row[at.process]!, row[at.device]!, row[at.context]!, row[at.stream]!);
    builder.work({
      kind: workKinds.copy,
      start,
      end: row[at.end]!,
      stream: Math.max(0, stream),
      name,
      correlation: places.correlation(row[at.process]!, row[at.correlation]!),
      detail: route,
      bytes: Math.max(0, row[at.bytes]!),
      graphNode: Math.max(0, row[at.node]!),
    });
    if (quotes.isFirst(name, stream))
      quotes.work(name, stream, count, {
        start,
        end: row[at.end]!,
        streamId: row[at.stream]!,
        correlationId: row[at.correlation]!,
        bytes: row[at.bytes]!,
        copyKind: row[at.kind]!,
        srcKind: row[at.from]!,
        dstKind: row[at.to]!,
      });
    return true;
  });
}

/** Exports without `copyKind` tell the memory on both sides. */
function directionBetween(from: MemoryKind, to: MemoryKind): Direction {
  const side = (kind: MemoryKind): 'H' | 'D' | null =>
    kind === 'pageable' || kind === 'pinned' ? 'H' : kind === 'device' || kind === 'array' ? 'D' : null;
  const [source, target] = [side(from), side(to)];
  return source === null || target === null ? 'unknown' : `${source}to${target}`;
}

/** The side that is the device is known from the direction, where the memory is not told. */
function sideOf(direction: Direction, side: 0 | 1, told: MemoryKind): MemoryKind {
  if (told !== 'unknown') return told;
  if (direction.startsWith('UVM_')) return 'managed';
  const letter = direction === 'PtoP' ? 'D' : direction[side === 0 ? 0 : 3];
  return letter === 'D' && direction !== 'unknown' ? 'device' : 'unknown';
}

/** Reads CUPTI_ACTIVITY_KIND_MEMSET; @returns how many rows */
export function readMemsets(reading: Reading): number {
  const { db, builder, places, time } = reading;
  const plan = planOf(db, 'CUPTI_ACTIVITY_KIND_MEMSET', {
    start: { sql: time('start'), needs: ['start'], orNothing: true },
    end: { sql: time('end'), needs: ['end'] },
    device: { sql: 'deviceId' },
    context: { sql: 'contextId' },
    stream: { sql: 'streamId' },
    correlation: { sql: 'correlationId' },
    process: { sql: 'globalPid' },
    bytes: { sql: 'bytes' },
    node: { sql: 'graphNodeId' },
  });
  if (plan === null) return 0;
  const { at, row } = plan;
  const quotes = new Quotes(reading, plan.table);
  const name = builder.name('[CUDA memset]');
  return scanTable(reading, plan, (_, count) => {
    const start = row[at.start]!;
    if (!isTime(start)) return false;
    const stream = places.stream(row[at.process]!, row[at.device]!, row[at.context]!, row[at.stream]!);
    builder.work({
      kind: workKinds.memset,
      start,
      end: row[at.end]!,
      stream: Math.max(0, stream),
      name,
      correlation: places.correlation(row[at.process]!, row[at.correlation]!),
      detail: -1,
      bytes: Math.max(0, row[at.bytes]!),
      graphNode: Math.max(0, row[at.node]!),
    });
    if (quotes.isFirst(name, stream))
      quotes.work(name, stream, count, {
        start,
        end: row[at.end]!,
        streamId: row[at.stream]!,
        correlationId: row[at.correlation]!,
        bytes: row[at.bytes]!,
      });
    return true;
  });
}

/** Reads executions of whole graphs (CUPTI_ACTIVITY_KIND_GRAPH_TRACE); @returns how many rows */
export function readGraphs(reading: Reading): number {
  const { db, builder, places, time } = reading;
  const plan = planOf(db, 'CUPTI_ACTIVITY_KIND_GRAPH_TRACE', {
    start: { sql: time('start'), needs: ['start'], orNothing: true },
    end: { sql: time('end'), needs: ['end'] },
    device: { sql: 'deviceId' },
    context: { sql: 'contextId' },
    stream: { sql: 'streamId' },
    correlation: { sql: 'correlationId' },
    process: { sql: 'globalPid' },
    graph: { sql: 'graphId', orNothing: true },
  });
  if (plan === null) return 0;
  const { at, row } = plan;
  const quotes = new Quotes(reading, plan.table);
  let graphs = 0;
  const named = new Map<number, number>();
  const nameOf = (graph: number): number => {
    const before = named.get(graph);
    if (before !== undefined) return before;
    // Programs that capture a graph for each step have as many numbers as steps.
    const index = builder.name(graph === nothing || graphs++ >= 1000 ? 'CUDA graph' : `CUDA graph ${graph}`);
    named.set(graph, index);
    return index;
  };
  return scanTable(reading, plan, (_, count) => {
    const start = row[at.start]!;
    if (!isTime(start)) return false;
    const name = nameOf(row[at.graph]!);
    const stream = places.stream(row[at.process]!, row[at.device]!, row[at.context]!, row[at.stream]!);
    builder.work({
      kind: workKinds.graph,
      start,
      end: row[at.end]!,
      stream: Math.max(0, stream),
      name,
      correlation: places.correlation(row[at.process]!, row[at.correlation]!),
      detail: -1,
      bytes: 0,
      graphNode: 0,
    });
    if (quotes.isFirst(name, stream))
      quotes.work(name, stream, count, {
        start,
        end: row[at.end]!,
        streamId: row[at.stream]!,
        correlationId: row[at.correlation]!,
        graphId: row[at.graph]!,
      });
    return true;
  });
}
