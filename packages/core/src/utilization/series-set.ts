import type { Clock, SeriesPlace } from './gpu-series.ts';
import type { CpuUse } from './cpu.ts';
import { Beside } from './beside.ts';
import { DarkSamples, profilingMetrics, withoutProfiling } from './dark.ts';
import { CounterEvents } from './events.ts';
import { GpuSeries, Running, loadOf } from './gpu-series.ts';
import { quote } from './quotes.ts';
import { Identities } from './identities.ts';
import { joinClocks } from './join-clocks.ts';
import type { TimeWindow } from './time-window.ts';
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

/** All series of some files, joined on GPU and time. */
export class SeriesSet {
  readonly thresholds: Thresholds;
  readonly gpus: Map<string, GpuSeries> = new Map();
  readonly processes: Map<string, Map<number, KeptProcess>> = new Map();
  /** Steps of counters by GPU. */
  readonly events: Map<string, CounterEvents> = new Map();
  /** Samples in which a GPU was not measured, by GPU. */
  readonly dark: Map<string, DarkSamples> = new Map();
  /** GPUs of which a list of processes spoke, with or without one; `null` where it spoke of all. */
  readonly listed: Set<string | null> = new Set();
  /** UUIDs by the name of a GPU: the same place may hold another board at another time. */
  readonly boards: Map<string, string> = new Map();
  /** Kinds of input that were met. */
  readonly kinds: Set<string> = new Set();
  /** Metrics that some table had a column for. */
  readonly columns: Set<string> = new Set();
  /** Signs that an exporter has nothing to say of GPUs. */
  exporterAbsent: SeriesPlace | null = null;
  /** Use of the CPU by processes, from a list beside the series. */
  readonly cpu: CpuUse[] = [];
  /** Some samples had no clock and were counted. */
  counted = false;
  /** The only part of the time that is taken; null for all. */
  window: TimeWindow | null = null;
  readonly left: string[] = [];
  /** Files by the clock that they tell. */
  readonly files: Map<Clock, Set<string>> = new Map();
  /** States and kernel messages that stand beside the series, by time. */
  readonly beside: Beside = new Beside();
  private readonly identities = new Identities((from, to) => this.rename(from, to));
  private tooMany = false;
  private settled = false;

  constructor(thresholds: Thresholds = defaultThresholds) {
    this.thresholds = thresholds;
  }

  /**
   * The name under which a GPU is kept: its index. What names it otherwise (UUID, bus address) is known by the index once
   * both were seen together, in whatever file.
   */
  idOf(index: string | null, uuid: string | null, host: string | null, bus: string | null = null): string | null {
    const id = this.identities.idOf(index, uuid, host, bus);
    if (id !== null && uuid?.startsWith('GPU-') === true) this.isBoard(id, uuid);
    return id;
  }

  /** The board that is known by a name, where its UUID was told. */
  isBoard(id: string, uuid: string): void {
    if (this.boards.size < 2 * mostGpus && !this.boards.has(id)) this.boards.set(id, uuid);
  }

  /** The GPU at a bus address, where one is known there; the address itself where not. */
  atBus(bus: string, host: string | null): string {
    return this.identities.atBus(bus, host);
  }

  /** Hosts are told by name from now on, the first too. */
  nameHosts(): void {
    this.identities.nameHosts();
  }

  /** Adds one row. @returns false where there are too many GPUs to keep */
  add(
    id: string,
    row: Float64Array,
    seconds: number | null,
    source: object,
    place: (metric?: number) => SeriesPlace,
    clock: Clock = 'count',
  ): boolean {
    if (this.window !== null && !this.window.has(seconds ?? this.gpus.get(id)?.taking ?? 0, clock)) return true;
    let series = this.gpus.get(id);
    const dark = this.darkOf(id);
    if (dark?.isBlind(row, place) === true) {
      // While nothing else is known of the GPU, what is given for it is kept.
      if (dark.measured > 0) return true;
    } else if (dark?.measured === 1 && dark.blind > 0 && series !== undefined) {
      const fresh = new GpuSeries(id, this.thresholds['quiet-rate']);
      fresh.name = series.name;
      this.gpus.set(id, (series = fresh));
      this.events.delete(id);
    }
    if (dark?.isUnprofiled(row, this.thresholds['full-util']!, place) === true) {
      if (dark.profiled > 0) withoutProfiling(row);
    } else if (dark?.profiled === 1 && dark.unprofiled > 0) series?.forget(profilingMetrics);
    if (series === undefined) {
      if (this.gpus.size >= mostGpus) {
        if (!this.tooMany) this.left.push(`more than ${mostGpus} GPUs: the samples of the others are not read`);
        this.tooMany = true;
        return false;
      }
      this.gpus.set(id, (series = new GpuSeries(id, this.thresholds['quiet-rate'])));
    }
    const busyFrom = this.thresholds['busy-util']!;
    const when = seconds ?? series.taking;
    series.add(row, when, source, busyFrom, clock);
    let events = this.events.get(id);
    if (events === undefined) this.events.set(id, (events = new CounterEvents()));
    events.take(row, when, source, place);
    quote(series, row, loadOf(row), busyFrom, place);
    return true;
  }

  /** All is read: what tells the time differently is joined where that is certain, and else it is said. Once. */
  settle(): void {
    if (this.settled) return;
    this.settled = true;
    this.beside.settle(this);
    joinClocks(this);
  }

  /** Samples of a file tell this clock. */
  timed(clock: Clock, file: string | null): void {
    let known = this.files.get(clock);
    if (known === undefined) this.files.set(clock, (known = new Set()));
    if (known.size < 64) known.add(file ?? 'the input');
  }

  private darkOf(id: string): DarkSamples | undefined {
    let known = this.dark.get(id);
    if (known === undefined && this.dark.size < mostGpus) this.dark.set(id, (known = new DarkSamples()));
    return known;
  }

  private rename(from: string, to: string): void {
    const series = this.gpus.get(from);
    if (series !== undefined) {
      this.gpus.delete(from);
      const known = this.gpus.get(to);
      if (known === undefined) {
        series.id = to;
        this.gpus.set(to, series);
      } else known.absorb(series);
    }
    const events = this.events.get(from);
    this.events.delete(from);
    if (events !== undefined) {
      const known = this.events.get(to);
      if (known === undefined) this.events.set(to, events);
      else known.absorb(events);
    }
    const dark = this.dark.get(from);
    this.dark.delete(from);
    if (dark !== undefined) {
      const known = this.dark.get(to);
      if (known === undefined) this.dark.set(to, dark);
      else known.take(dark);
    }
    const processes = this.processes.get(from);
    this.processes.delete(from);
    for (const { use, ...listed } of processes?.values() ?? []) {
      this.addProcess(to, listed);
      this.processes.get(to)?.get(listed.pid)?.use.take(use);
    }
    // Instances go with the whole.
    for (const each of [...this.gpus.keys(), ...this.processes.keys()])
      if (each.startsWith(`${from}/`)) this.rename(each, to + each.slice(from.length));
    if (this.listed.delete(from)) this.listed.add(to);
    this.beside.rename(from, to);
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
