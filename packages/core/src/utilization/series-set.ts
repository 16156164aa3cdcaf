import type { SeriesPlace } from './gpu-series.ts';
import { CounterEvents } from './events.ts';
import { GpuSeries, Running, metricAt } from './gpu-series.ts';
import type { Thresholds } from './thresholds.rows.ts';
import { defaultThresholds } from './thresholds.rows.ts';

/** A process on a GPU, as `pmon` or `--query-compute-apps` lists it. */
export interface GpuProcess {
  readonly pid: number;
  readonly name: string | null;
  readonly place: SeriesPlace;
  /** `C`, `G`, `C+G`; under MPS also `M+C`. */
  readonly type?: string | null;
  readonly user?: string | null;
  /** The job, pod or container it belongs to, as a label or a scheduler names it. */
  readonly job?: string | null;
  /** Its share of the SMs (%) in this sample. */
  readonly sm?: number | null;
}

/** A process with what all samples of it tell. */
export interface KeptProcess extends GpuProcess {
  readonly use: Running;
}

const mostGpus = 512;
const mostProcesses = 64;
const util = metricAt('util');

/** All series of some files, joined on GPU and time. */
export class SeriesSet {
  readonly thresholds: Thresholds;
  readonly gpus: Map<string, GpuSeries> = new Map();
  readonly processes: Map<string, Map<number, KeptProcess>> = new Map();
  /** Steps of counters by GPU. */
  readonly events: Map<string, CounterEvents> = new Map();
  /** GPUs of which a list of processes spoke, with or without one; `null` where it spoke of all. */
  readonly listed: Set<string | null> = new Set();
  /** Kinds of input that were met. */
  readonly kinds: Set<string> = new Set();
  /** Metrics that some table had a column for. */
  readonly columns: Set<string> = new Set();
  /** Signs that an exporter has nothing to say of GPUs. */
  exporterAbsent: SeriesPlace | null = null;
  /** Some samples had no clock and were counted. */
  counted = false;
  readonly left: string[] = [];
  private readonly aliases = new Map<string, string>();
  private firstHost: string | null = null;

  constructor(thresholds: Thresholds = defaultThresholds) {
    this.thresholds = thresholds;
  }

  /** The name under which a GPU is kept; an UUID is known by its index once both were seen in one line. */
  idOf(index: string | null, uuid: string | null, host: string | null): string | null {
    const prefix = host === null || host === '' ? '' : host === (this.firstHost ??= host) ? '' : `${host}:`;
    if (index !== null) {
      if (uuid !== null && this.aliases.size < 4096) this.aliases.set(uuid, prefix + index);
      return prefix + index;
    }
    return uuid === null ? null : (this.aliases.get(uuid) ?? uuid);
  }

  /** Adds one row. @returns false where there are too many GPUs to keep */
  add(id: string, row: Float64Array, seconds: number | null, source: object, place: () => SeriesPlace): boolean {
    let series = this.gpus.get(id);
    if (series === undefined) {
      if (this.gpus.size >= mostGpus) return false;
      this.gpus.set(id, (series = new GpuSeries(id)));
    }
    const busyFrom = this.thresholds['busy-util']!;
    const when = seconds ?? series.rows;
    series.add(row, when, source, busyFrom);
    let events = this.events.get(id);
    if (events === undefined) this.events.set(id, (events = new CounterEvents()));
    events.take(row, when, source, place);
    const load = row[util]!;
    if (series.rows === 1) series.quoted.set('first', place());
    if (load >= busyFrom && !series.quoted.has('busy')) series.quoted.set('busy', place());
    else if (load <= 5 && !series.quoted.has('idle')) series.quoted.set('idle', place());
    const mask = row[metricAt('reasons')]!;
    if (mask > 1 && load >= busyFrom && !series.quoted.has(`reasons ${mask}`) && series.quoted.size < 24)
      series.quoted.set(`reasons ${mask}`, place());
    return true;
  }

  addProcess(gpu: string, listed: GpuProcess): void {
    const known = this.processes.get(gpu) ?? new Map<number, KeptProcess>();
    this.processes.set(gpu, known);
    const before = known.get(listed.pid);
    if (before === undefined && known.size >= mostProcesses) return;
    const use = before?.use ?? new Running();
    if (typeof listed.sm === 'number' && Number.isFinite(listed.sm)) use.add(listed.sm);
    known.set(listed.pid, {
      ...before,
      ...listed,
      name: listed.name ?? before?.name ?? null,
      type: listed.type ?? before?.type ?? null,
      user: listed.user ?? before?.user ?? null,
      job: listed.job ?? before?.job ?? null,
      use,
    });
  }
}
