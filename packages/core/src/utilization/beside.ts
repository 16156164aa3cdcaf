import type { SeriesPlace } from './gpu-series.ts';
import { metricAt } from './gpu-series.ts';
import type { GpuState } from './query-blocks.ts';
import type { SeriesSet } from './series-set.ts';
import type { LogTime } from './times.ts';

/** An error that the kernel reported of a GPU. */
export interface KernelEvent {
  gpu: string;
  readonly xid: number;
  readonly time: LogTime;
  readonly pid: number | null;
  readonly name: string | null;
  readonly place: SeriesPlace;
}

/** What stands beside the series of a GPU, in words, with the lines that say so. */
export interface Remark {
  readonly text: string;
  readonly places: readonly SeriesPlace[];
}

const mostEvents = 4096;
const mostStates = 4096;
/** Logs of one GPU from which they are a series of their own. */
const aSeries = 10;
const reasonsAt = metricAt('reasons');
const uncorrectedAt = metricAt('ecc-uncorrected');

const reasonNames: readonly (readonly [number, string])[] = [
  [0x2, 'application clocks'],
  [0x4, 'software power cap'],
  [0x8, 'hardware slowdown'],
  [0x10, 'sync boost'],
  [0x20, 'software thermal slowdown'],
  [0x40, 'hardware thermal slowdown'],
  [0x80, 'power brake'],
  [0x100, 'display clocks'],
];

/** States of `nvidia-smi -q`, and messages of the kernel, that were given beside series: joined on GPU and time. */
export class Beside {
  private readonly events: KernelEvent[] = [];
  private readonly states: (GpuState & { id: string })[] = [];
  private readonly owners = new Map<number, { readonly user: string | null; readonly job: string | null }>();

  addEvent(event: KernelEvent): void {
    if (this.events.length < mostEvents) this.events.push(event);
  }

  addState(state: GpuState, id: string): void {
    if (this.states.length < mostStates) this.states.push({ ...state, id });
  }

  /** Whose a process is. */
  addOwner(pid: number, user: string | null, job: string | null): void {
    if (this.owners.size < 4096) this.owners.set(pid, { user, job });
  }

  rename(from: string, to: string): void {
    for (const event of this.events) if (event.gpu === from) event.gpu = to;
    for (const state of this.states) if (state.id === from) state.id = to;
  }

  /** All is read: states become samples of the series that they stand beside, and processes get their owners. */
  settle(set: SeriesSet): void {
    const counts = new Map<string, number>();
    for (const { id } of this.states) counts.set(id, (counts.get(id) ?? 0) + 1);
    for (const [gpu, count] of counts) {
      const series = set.gpus.get(gpu);
      if (count < aSeries && (series === undefined || series.rows < 2)) continue;
      // What the series itself measures is not mixed with single looks.
      const measured = series?.all.map(({ count: samples }) => samples > 0) ?? [];
      const local = series?.clocks.get('local');
      const source = {};
      for (const { id, row, seconds, place, processes } of this.states) {
        if (id !== gpu || (seconds !== null && local !== undefined && isFar(seconds, local))) continue;
        for (const each of processes) set.addProcess(id, { ...each, place });
        const beside = row.map((value, metric) => (measured[metric] === true ? Number.NaN : value));
        if (beside.every((value) => value !== value)) continue;
        if (seconds !== null) set.timed('local', place.file);
        set.add(id, beside, seconds, source, () => place, seconds === null ? 'count' : 'local');
      }
    }
    for (const [gpu, processes] of set.processes)
      for (const { use: _use, ...known } of processes.values()) {
        const owner = this.owners.get(known.pid);
        if (owner === undefined || known.pid === 0) continue;
        set.addProcess(gpu, { ...known, sm: null, user: known.user ?? owner.user, job: known.job ?? owner.job });
      }
  }

  /** What is to be said of a GPU beside what its series shows. */
  of(gpu: string, set: SeriesSet): readonly Remark[] {
    const clocks = set.gpus.get(gpu)?.clocks;
    if (clocks === undefined) return [];
    return [...this.errorsOf(gpu, clocks), ...this.statesOf(gpu, clocks.get('local'))];
  }

  private errorsOf(
    gpu: string,
    clocks: NonNullable<ReturnType<SeriesSet['gpus']['get']>>['clocks'],
  ): readonly Remark[] {
    const found = new Map<number, { within: KernelEvent[]; open: KernelEvent[] }>();
    for (const event of this.events) {
      // An instance of a GPU has the errors of the whole.
      if (event.gpu !== gpu && !gpu.startsWith(`${event.gpu}/`)) continue;
      const is = within(event.time, clocks);
      if (is === false) continue;
      const known = found.get(event.xid) ?? { within: [], open: [] };
      found.set(event.xid, known);
      (is === null ? known.open : known.within).push(event);
    }
    return [...found].map(([xid, { within: inside, open }]) => {
      const all = inside.length > 0 ? inside : open;
      const first = all.find((event) => event.pid !== null) ?? all[0]!;
      const who =
        first.pid === null || first.pid === 0
          ? ''
          : ` (${first.name === null ? '' : `${first.name}, `}process ${first.pid})`;
      const often = all.length === 1 ? '' : `, ${all.length} times`;
      return {
        text:
          inside.length > 0
            ? `the kernel reported Xid ${xid}${who} of it within the period${often}`
            : `the kernel log has Xid ${xid}${who} of it${often}, at a time that cannot be put beside the series`,
        places: all.slice(0, 2).map(({ place }) => place),
      };
    });
  }

  private statesOf(gpu: string, local: Span | undefined): readonly Remark[] {
    const states = this.states.filter(
      ({ id, seconds }) => id === gpu && (seconds === null || local === undefined || !isFar(seconds, local)),
    );
    let [mask, most, least] = [0, Number.NaN, Number.NaN];
    let shown: SeriesPlace | null = null;
    for (const { row, place } of states) {
      const [reasons, errors] = [row[reasonsAt]!, row[uncorrectedAt]!];
      if (reasons > 1) {
        mask |= reasons;
        shown ??= place;
      }
      if (errors !== errors) continue;
      if (!(most >= errors)) most = errors;
      if (!(least <= errors)) least = errors;
      if (errors > 0) shown ??= place;
    }
    const names = reasonNames.filter(([bit]) => (mask & bit) !== 0).map(([, name]) => name);
    const parts = [
      ...(names.length === 0 ? [] : [`clocks held down by ${names.join(', ')}`]),
      ...(most > 0 ? [`${most} uncorrected memory errors${most > least ? `, ${most - least} of them new` : ''}`] : []),
    ];
    return parts.length === 0 || shown === null
      ? []
      : [{ text: `nvidia-smi -q says of it: ${parts.join('; ')}`, places: [shown] }];
  }
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** True where a look at a GPU is too far from the samples to tell of the same time. */
function isFar(at: number, { from, to }: Span): boolean {
  const near = Math.max(600, to - from);
  return at < from - near || at > to + near;
}

/** Whether a time is within the samples of a GPU; null where the two clocks cannot be compared. */
function within(time: LogTime, clocks: NonNullable<ReturnType<SeriesSet['gpus']['get']>>['clocks']): boolean | null {
  const inside = (at: number, { from, to }: Span): boolean => at >= from - 1 && at <= to + 1;
  const [utc, local] = [clocks.get('utc'), clocks.get('local')];
  if (utc !== undefined && time.utc !== null) return inside(time.utc, utc);
  if (local === undefined) return null;
  if (time.local !== null) return inside(time.local, local);
  if (time.inYear === null) return null;
  // The year is the one of the series.
  const [month, day, clock] = time.inYear;
  const years = [local.from, local.to].map((at) => new Date(at * 1000).getUTCFullYear());
  return years.some((year) => inside(Date.UTC(year, month, day) / 1000 + clock, local));
}
