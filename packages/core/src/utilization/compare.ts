import { changePoint, medianOf, spreadOf } from './change-point.ts';
import type { CounterEvents, Watched } from './events.ts';
import type { GpuSeries } from './gpu-series.ts';
import { metricAt } from './gpu-series.ts';
import { metrics } from './metrics.rows.ts';
import { momentOf } from './moments.ts';
import type { SeriesSet } from './series-set.ts';
import type { Thresholds } from './thresholds.rows.ts';

/** One side of a comparison: GPUs by the name that both sides know them by. */
export interface Side {
  readonly name: string;
  readonly gpus: ReadonlyMap<string, GpuSeries>;
  readonly events: ReadonlyMap<string, CounterEvents>;
  /** UUIDs of the GPUs, as far as they were told. */
  readonly boards?: ReadonlyMap<string, string>;
  readonly counted: boolean;
}

/** The level of a counter in one series. */
export interface Level {
  readonly value: number;
  /** How far stretches of the series are from each other, without outliers. */
  readonly spread: number;
  readonly samples: number;
}

/** One counter of one GPU on both sides. */
export interface SeriesChange {
  readonly gpu: string;
  readonly metric: string;
  readonly unit: string;
  readonly state: 'changed' | 'equal' | 'cannot-tell';
  readonly before: Level | null;
  readonly after: Level | null;
  /** After less before; null where one is not measured. */
  readonly difference: number | null;
  /** The deviation that the difference has by itself. */
  readonly noise: number | null;
  /** When the new level began; null where it did not change, or the series do not follow each other. */
  readonly since: {
    readonly seconds: number;
    readonly text: string;
    readonly side: 'before' | 'between' | 'after';
  } | null;
  /** Why nobody can tell. */
  readonly because: string | null;
}

/** What differs by less, in its unit, says nothing, whatever its noise. */
export const least: Readonly<Record<(typeof metrics)[number]['unit'], number>> = {
  '%': 2,
  W: 5,
  '°C': 3,
  MHz: 15,
  MiB: 64,
  'MB/s': 50,
  '': 0.5,
};

/** Counters that only grow: how much they grew is compared. */
const growing: ReadonlySet<string> = new Set([
  'ecc-uncorrected',
  'ecc-uncorrected-ever',
  'rows-remapped',
  'replays',
  'nvlink-crc-flit',
  'nvlink-crc-data',
  'nvlink-replays',
  'nvlink-recoveries',
  'xid',
] satisfies Watched[]);
/** What no level says anything of. */
const unsaid: ReadonlySet<string> = new Set([
  'nvlink-moved',
  'reasons',
  'ecc-corrected',
  'ecc-corrected-ever',
  'remap-failed',
  'remap-pending',
]);

/** Why clocks are held down, by NVML's bits: the share of the busy samples is compared. */
const reasons = [
  { bits: 0x2, metric: 'held down by application clocks' },
  { bits: 0x4, metric: 'held down by the power cap' },
  { bits: 0x60, metric: 'held down by heat' },
  { bits: 0x80, metric: 'held down by the power brake' },
] as const;

/** Means over parts of the time of a history, a dozen at most. */
function parts(history: readonly (number | null)[]): readonly number[] {
  const known = history.filter((value) => value !== null);
  const count = Math.max(1, Math.min(12, Math.floor(known.length / 4)));
  return Array.from({ length: count }, (_, at) => {
    const part = known.slice(Math.floor((at * known.length) / count), Math.floor(((at + 1) * known.length) / count));
    return part.reduce((sum, value) => sum + value, 0) / part.length;
  });
}

interface Measured {
  readonly level: Level;
  /** Deviation of the level; null where there are too few samples to know. */
  readonly noise: number | null;
}

function measure(series: GpuSeries | undefined, at: number, floor: number, limits: Thresholds): Measured | null {
  const running = series?.all[at];
  if (series === undefined || running === undefined || running.count === 0) return null;
  return levelOf(series.history(at), running.count, floor, limits, running.mean);
}

/** The level of a history, or of a part of one. */
function levelOf(
  history: readonly (number | null)[],
  samples: number,
  floor: number,
  limits: Thresholds,
  otherwise: number,
): Measured {
  const each = parts(history);
  const value = medianOf(each) ?? otherwise;
  const mean = each.reduce((sum, one) => sum + one, 0) / Math.max(1, each.length);
  const deviation = Math.sqrt(each.reduce((sum, one) => sum + (one - mean) ** 2, 0) / Math.max(1, each.length));
  const spread = Math.max(spreadOf(each), deviation / 2);
  const few = samples < limits['change-samples']! || each.length < 4;
  return {
    level: { value, spread, samples },
    // A median is 1.25 times as uncertain as a mean; what is printed is rounded.
    noise: few ? null : Math.max(floor / 8, (1.2533 * spread) / Math.sqrt(each.length)),
  };
}

function judged(
  gpu: string,
  metric: string,
  unit: keyof typeof least,
  one: Measured | null,
  other: Measured | null,
  limits: Thresholds,
): SeriesChange {
  const [before, after] = [one?.level ?? null, other?.level ?? null];
  const base = { gpu, metric, unit, before, after, since: null };
  if (before === null || after === null) {
    const because = before === null ? 'not measured before' : 'not measured after';
    return { ...base, state: 'cannot-tell', difference: null, noise: null, because };
  }
  const difference = after.value - before.value;
  if (one!.noise === null || other!.noise === null)
    return { ...base, state: 'cannot-tell', difference, noise: null, because: 'too few samples' };
  const noise = Math.hypot(one!.noise, other!.noise);
  const size = Math.max(Math.abs(before.value), Math.abs(after.value));
  const large = Math.abs(difference) > least[unit] && Math.abs(difference) * 100 > limits['change']! * size;
  const sure = Math.abs(difference) > limits['change-noise']! * noise;
  // A difference that would matter and that noise may make is neither a change nor its absence.
  const state = large ? (sure ? 'changed' : 'cannot-tell') : 'equal';
  return { ...base, state, difference, noise, because: state === 'cannot-tell' ? 'within its own noise' : null };
}

/** Compares all counters of one GPU on both sides. */
function compareGpu(gpu: string, before: Side, after: Side, limits: Thresholds): readonly SeriesChange[] {
  const [one, other] = [before.gpus.get(gpu), after.gpus.get(gpu)];
  const plain = metrics.flatMap(({ id, unit }) => {
    if (growing.has(id) || unsaid.has(id)) return [];
    const at = metricAt(id);
    const [a, b] = [one, other].map((series) => measure(series, at, least[unit], limits));
    if (a == null && b == null) return [];
    const change = judged(gpu, id, unit, a ?? null, b ?? null, limits);
    if (change.state === 'changed') return [{ ...change, since: sinceOf(one!, other!, at, change, before, after) }];
    if (a == null || b == null) return [change];
    return [withinOf(one!, other!, at, a, change, after, limits) ?? unsteady(change, limits)];
  });
  return [...plain, ...heldDownOf(gpu, one, other, limits), ...grownOf(gpu, before, after, limits)];
}

function heldDownOf(
  gpu: string,
  one: GpuSeries | undefined,
  other: GpuSeries | undefined,
  limits: Thresholds,
): readonly SeriesChange[] {
  return reasons.flatMap(({ bits, metric }) => {
    const [a, b] = [one, other].map((series): Measured | null => {
      if (series === undefined || series.reasonRows === 0) return null;
      let most = 0;
      for (let bit = 0; bit < 12; bit++) if ((bits >> bit) % 2 === 1) most = Math.max(most, series.reasonBits[bit]!);
      const share = most / series.reasonRows;
      // Neighbouring samples are alike: ten of them count as one.
      const noise = 100 * Math.sqrt(Math.max(0.01, share * (1 - share)) / Math.max(1, series.reasonRows / 10));
      return {
        level: { value: 100 * share, spread: 0, samples: series.reasonRows },
        noise: series.reasonRows < limits['change-samples']! ? null : noise,
      };
    });
    return a == null || b == null ? [] : [judged(gpu, metric, '%', a, b, limits)];
  });
}

function grownOf(gpu: string, before: Side, after: Side, limits: Thresholds): readonly SeriesChange[] {
  return [...growing].flatMap((metric) => {
    const [a, b] = [before, after].map(({ events }) => {
      const own = events.get(gpu);
      const growth = own?.growth(metric as Watched) ?? null;
      if (own === undefined || growth === null) return null;
      // The number of an Xid is no amount: how many came is one.
      return metric === 'xid' ? own.steps('xid').filter(({ to }) => to > 0).length : growth;
    });
    if (a == null || b == null) return [];
    const level = (value: number): Level => ({ value, spread: 0, samples: 2 });
    const enough =
      metric === 'replays'
        ? limits['replays']!
        : metric.startsWith('nvlink-') && metric !== 'nvlink-recoveries'
          ? limits['nvlink-errors']!
          : 1;
    const changed = Math.abs(b - a) >= enough && (a === 0 || b === 0 || Math.max(a, b) > 2 * Math.min(a, b));
    const [first] = after.events.get(gpu)?.steps(metric as Watched) ?? [];
    return [
      {
        gpu,
        metric: metric === 'xid' ? 'new Xids' : `growth of ${metric}`,
        unit: '',
        state: changed ? ('changed' as const) : ('equal' as const),
        before: level(a),
        after: level(b),
        difference: b - a,
        noise: 0,
        since:
          changed && b > a && first !== undefined
            ? { seconds: first.seconds, text: momentOf(first.seconds, after.counted), side: 'after' as const }
            : null,
        because: null,
      },
    ];
  });
}

/** Time and value of each stretch of a history. */
function points(series: GpuSeries, at: number): readonly (readonly [number, number])[] {
  const { start, stretch } = series.grid;
  return series.history(at).flatMap((value, i) => (value === null ? [] : [[start + i * stretch, value] as const]));
}

/** When the new level began, where one series follows the other in time. */
function sinceOf(
  one: GpuSeries,
  other: GpuSeries,
  at: number,
  change: SeriesChange,
  before: Side,
  after: Side,
): SeriesChange['since'] {
  const [earlier, later] = [points(one, at), points(other, at)];
  const [end, begin] = [earlier.at(-1)?.[0], later[0]?.[0]];
  if (end === undefined || begin === undefined) return null;
  const told = (seconds: number, side: 'before' | 'between' | 'after'): SeriesChange['since'] => ({
    seconds,
    text: momentOf(seconds, side === 'before' ? before.counted : after.counted),
    side,
  });
  const middle = (change.before!.value + change.after!.value) / 2;
  const rises = change.after!.value > change.before!.value;
  const isNew = (value: number): boolean => value > middle === rises;
  // Within one of the series, where both levels are in it for some time.
  for (const [side, list] of [
    ['after', later],
    ['before', earlier],
  ] as const) {
    const found = changePoint(list.map(([, value]) => value));
    if (found === null) continue;
    if (
      !isNew(found.before) &&
      isNew(found.after) &&
      Math.abs(found.after - found.before) * 2 > Math.abs(change.difference!)
    )
      return told(list[found.at]![0], side);
  }
  return begin >= end ? told(begin, 'between') : null;
}

/** Whether a series had the level of these values before, for as long: a level that comes back is no change. */
function hadFor(
  before: readonly (readonly [number, number])[],
  now: readonly (readonly [number, number])[],
  near: number,
): boolean {
  const width = Math.min(now.length, before.length);
  const level = now.reduce((sum, [, value]) => sum + value, 0) / now.length;
  let sum = 0;
  for (let i = 0; i < before.length; i++) {
    sum += before[i]![1] - (i >= width ? before[i - width]![1] : 0);
    if (i >= width - 1 && Math.abs(sum / width - level) < near) return true;
  }
  return false;
}

/**
 * A change that only a part of the second series shows, from some time to its end; the middle of the whole does not.
 */
function withinOf(
  earlier: GpuSeries,
  series: GpuSeries,
  at: number,
  before: Measured,
  change: SeriesChange,
  side: Side,
  limits: Thresholds,
): SeriesChange | null {
  const list = points(series, at);
  const found = changePoint(list.map(([, value]) => value));
  if (found === null) return null;
  const rest = list.slice(found.at);
  if (rest.length < Math.max(16, list.length / 10)) return null;
  const { count, mean } = series.all[at]!;
  const unit = change.unit as keyof typeof least;
  const part = (values: typeof list): Measured =>
    levelOf(
      values.map(([, value]) => value),
      Math.round((count * values.length) / list.length),
      least[unit],
      limits,
      mean,
    );
  const later = judged(change.gpu, change.metric, unit, before, part(rest), limits);
  // What came before it was as it had been.
  const off = Math.abs(part(list.slice(0, found.at)).level.value - before.level.value);
  if (later.state !== 'changed' || off * 2 >= Math.abs(later.difference ?? 0)) return null;
  if (hadFor(points(earlier, at), rest, Math.abs(later.difference!) / 2)) return null;
  const seconds = rest[0]![0];
  return { ...later, since: { seconds, text: momentOf(seconds, side.counted), side: 'after' } };
}

/** An equal middle of a series that varies far more than before is no proof that nothing changed. */
function unsteady(change: SeriesChange, limits: Thresholds): SeriesChange {
  const { before, after, state, unit } = change;
  if (state !== 'equal' || before === null || after === null) return change;
  const much = after.spread > 2 * least[unit as keyof typeof least] && after.spread > 4 * before.spread;
  return much && after.spread * 100 > limits['change']! * Math.abs(after.value)
    ? { ...change, state: 'cannot-tell', because: 'it varies far more than before' }
    : change;
}

/** When a series left the usual level for the one it has; null where it always had it. */
export function leftAt(
  series: GpuSeries,
  metric: string,
  usual: number,
  value: number,
  counted: boolean,
): SeriesChange['since'] {
  const at = metrics.findIndex(({ id }) => id === metric);
  if (at < 0) return null;
  const list = points(series, at);
  const found = changePoint(list.map(([, each]) => each));
  if (found === null) return null;
  const far = Math.abs(value - usual) / 2;
  if (Math.abs(found.before - usual) > far || Math.abs(found.after - usual) < far) return null;
  const seconds = list[found.at]![0];
  return { seconds, text: momentOf(seconds, counted), side: 'after' };
}

/** Compares two sides GPU by GPU. */
export function compareSides(before: Side, after: Side, limits: Thresholds): readonly SeriesChange[] {
  return [...before.gpus.keys()].flatMap((gpu) => (after.gpus.has(gpu) ? compareGpu(gpu, before, after, limits) : []));
}

/**
 * Two periods without the GPUs whose place holds another board in the second one: these are named by their UUIDs, each
 * on its own side, and nothing is compared that has nothing to do with each other.
 */
export function sameBoards(before: Side, after: Side): readonly [Side, Side] {
  const changed = [...before.gpus.keys()].filter((gpu) => {
    const [one, other] = [before.boards?.get(gpu), after.boards?.get(gpu)];
    return after.gpus.has(gpu) && one !== undefined && other !== undefined && one !== other;
  });
  if (changed.length === 0) return [before, after];
  const named = (side: Side): Side => {
    const called = (gpu: string): string => (changed.includes(gpu) ? `${gpu} (${side.boards!.get(gpu)!})` : gpu);
    return {
      ...side,
      gpus: new Map([...side.gpus].map(([gpu, series]) => [called(gpu), series])),
      events: new Map([...side.events].map(([gpu, events]) => [called(gpu), events])),
    };
  };
  return [named(before), named(after)];
}

/** A set of series as one side. */
export function sideOf(name: string, set: SeriesSet): Side {
  return { name, gpus: set.gpus, events: set.events, boards: set.boards, counted: set.counted };
}
