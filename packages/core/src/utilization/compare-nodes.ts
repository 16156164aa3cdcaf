import { medianOf, spreadOf } from './change-point.ts';
import type { Side, SeriesChange } from './compare.ts';
import { compareSides, least, leftAt } from './compare.ts';
import type { GpuSeries } from './gpu-series.ts';
import type { CounterEvents } from './events.ts';
import type { SeriesSet } from './series-set.ts';
import type { Thresholds } from './thresholds.rows.ts';

/** Host and GPU of an id: `node-a:3`; an address of a bus and a UUID have no host. */
function hostOf(id: string): readonly [string | null, string] {
  const at = id.startsWith('GPU-') || /^[\da-f]{4}:[\da-f]{2}:[\da-f]{2}$/i.test(id) ? -1 : id.indexOf(':');
  return at < 0 ? [null, id] : [id.slice(0, at), id.slice(at + 1)];
}

/** Nodes of some sets: by the hosts that the series name, and where they name none by the file. */
export function nodesOf(sets: readonly { readonly name: string; readonly set: SeriesSet }[]): readonly Side[] {
  const nodes = new Map<
    string,
    { gpus: Map<string, GpuSeries>; events: Map<string, CounterEvents>; counted: boolean }
  >();
  for (const { name, set } of sets)
    for (const [id, series] of set.gpus) {
      const [host, gpu] = hostOf(id);
      const node = host ?? name;
      const own = nodes.get(node) ?? { gpus: new Map(), events: new Map(), counted: set.counted };
      nodes.set(node, own);
      if (!own.gpus.has(gpu)) own.gpus.set(gpu, series);
      const events = set.events.get(id);
      if (events !== undefined) own.events.set(gpu, events);
    }
  return [...nodes].map(([name, own]) => ({ name, ...own })).toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

interface Seat {
  readonly node: Side;
  readonly gpu: string;
  readonly value: number;
}

/**
 * Compares the GPUs of each node with those of all other nodes together, by the spread among these. Where all GPUs of a
 * node differ alike, the node does. Two nodes are compared GPU by GPU instead.
 */
export function compareNodes(nodes: readonly Side[], limits: Thresholds): readonly SeriesChange[] {
  if (nodes.length === 2) return compareSides(nodes[0]!, nodes[1]!, limits);
  const levels = new Map<string, { readonly unit: string; readonly seats: Seat[] }>();
  for (const node of nodes)
    // A node against itself gives the level of each of its counters.
    for (const { gpu, metric, unit, after } of compareSides(node, node, limits)) {
      if (after === null) continue;
      const own = levels.get(metric) ?? { unit, seats: [] };
      levels.set(metric, own);
      own.seats.push({ node, gpu, value: after.value });
    }
  return [...levels].flatMap(([metric, { unit, seats }]) =>
    nodes.flatMap((node) => ofNode(node, metric, unit, seats, limits)),
  );
}

function ofNode(
  node: Side,
  metric: string,
  unit: string,
  seats: readonly Seat[],
  limits: Thresholds,
): readonly SeriesChange[] {
  const own = seats.filter((seat) => seat.node === node);
  const others = seats.filter((seat) => seat.node !== node).map(({ value }) => value);
  if (own.length === 0) return [];
  const usual = medianOf(others);
  const spread = spreadOf(others);
  const judge = (gpu: string, value: number, samples: number): SeriesChange => {
    const base = {
      gpu,
      metric,
      unit,
      before: usual === null ? null : { value: usual, spread, samples: others.length },
      after: { value, spread: spreadOf(own.map((seat) => seat.value)), samples },
      difference: usual === null ? null : value - usual,
      noise: Math.max(spread, least[unit as keyof typeof least] / 8),
      since: null,
    };
    if (usual === null || others.length < 2)
      return { ...base, state: 'cannot-tell', because: 'too few other nodes have it' };
    const off = Math.abs(value - usual);
    const size = Math.max(Math.abs(usual), Math.abs(value));
    const large = off > least[unit as keyof typeof least] && off * 100 > limits['change']! * size;
    const state = large ? (off > limits['change-noise']! * spread ? 'changed' : 'cannot-tell') : 'equal';
    return { ...base, state, because: state === 'cannot-tell' ? 'nodes differ as much among each other' : null };
  };
  const each = own.map(({ gpu, value }) => ({ gpu, change: judge(`${node.name}:${gpu}`, value, 1) }));
  const off = each.filter(({ change }) => change.state === 'changed');
  // Some of its GPUs: they are named. All of them, or none: the node is.
  if (off.length === 0 || off.length === own.length)
    return [judge(node.name, medianOf(own.map(({ value }) => value))!, own.length)];
  return off.map(({ gpu, change }) => {
    const series = node.gpus.get(gpu);
    return series === undefined
      ? change
      : { ...change, since: leftAt(series, metric, change.before!.value, change.after!.value, node.counted) };
  });
}
