import { isWatched } from './events.ts';
import type { SeriesPlace } from './gpu-series.ts';
import { emptyRow } from './gpu-series.ts';
import { metrics } from './metrics.rows.ts';
import type { SeriesSet } from './series-set.ts';

const names: ReadonlyMap<string, number> = new Map(
  metrics.flatMap((row, at) => (row.exported ?? []).map((name) => [name, at] as const)),
);

const isQuoted = (metric: number): boolean => metric === utilAt || isWatched(metric);
const utilAt = metrics.findIndex(({ id }) => id === 'util');

interface Pending {
  readonly row: Float64Array;
  seconds: number | null;
  readonly place: SeriesPlace;
  /** Lines of the metrics that are quoted themselves, by their place. */
  readonly lines: Map<number, SeriesPlace>;
}

/**
 * Text of dcgm-exporter, one scrape or several after each other. A scrape lists all GPUs of one metric, then those of
 * the next; the same metric of the same GPU again is the next scrape.
 */
export class ExporterReader {
  met = false;
  private pending = new Map<string, Pending>();
  private readonly counts = new Map<string, number>();
  private foreign: SeriesPlace | null = null;
  private readonly into: SeriesSet;
  private readonly file: string | null;

  constructor(into: SeriesSet, file: string | null) {
    this.into = into;
    this.file = file;
  }

  line(text: string, number: number): boolean {
    const place = (): SeriesPlace => ({ file: this.file, line: number, text });
    const sample =
      /^(?:DCGM_(FI_(?:DEV|PROF|SYSTEM)|EXP)_([A-Z0-9_]{2,80})|up)\{([^{}]{0,3000})\}\s{1,4}(\S{1,40})(?:\s{1,4}(\d{1,16}))?\s*$/.exec(
        text,
      );
    if (sample === null) return false;
    const labels = sample[3]!;
    if (sample[1] === undefined) {
      if (!/(?:job|app|pod|service)="[^"]{0,80}dcgm/.test(labels)) return false;
      if (Number(sample[4]) === 0) this.into.exporterAbsent ??= place();
      return true;
    }
    this.met = true;
    this.into.kinds.add('exporter');
    const m = names.get(sample[2]!);
    const gpu = labelOf(labels, 'gpu');
    if (m === undefined) return true;
    this.into.columns.add(metrics[m]!.id);
    const uuid = labelOf(labels, 'UUID') ?? labelOf(labels, 'uuid');
    const instance = labelOf(labels, 'GPU_I_ID');
    const whole = this.into.idOf(
      gpu,
      uuid,
      labelOf(labels, 'Hostname') ?? labelOf(labels, 'hostname'),
      labelOf(labels, 'pci_bus_id'),
    );
    if (whole === null) return true;
    const id = instance === null || instance === '' ? whole : `${whole}/gi${instance}`;
    const value = Number(sample[4]) * (metrics[m]!.scale ?? 1);
    let pending = this.pending.get(id);
    if (pending !== undefined && !Number.isNaN(pending.row[m]!)) {
      this.flush(id, pending);
      pending = undefined;
    }
    if (pending === undefined) {
      if (this.pending.size > 1024) return true;
      this.pending.set(id, (pending = { row: emptyRow(), seconds: null, place: place(), lines: new Map() }));
    }
    // Blank values are numbers near 2^63; no counter is negative, and a share is not more than the whole.
    const most = metrics[m]!.unit === '%' ? 100.5 : 9e11;
    if (value >= 0 && value < most) pending.row[m] = value;
    if (isQuoted(m)) pending.lines.set(m, place());
    if (sample[5] !== undefined) pending.seconds = Number(sample[5]) / 1000;
    const pod = labelOf(labels, 'pod') ?? labelOf(labels, 'exported_pod') ?? labelOf(labels, 'pod_name');
    if (pod !== null && pod !== '' && !this.into.processes.has(id))
      this.into.addProcess(id, { pid: 0, name: `pod ${pod.slice(0, 200)}`, place: place() });
    return true;
  }

  comment(text: string, number: number): boolean {
    if (/^# (?:HELP|TYPE) DCGM_/.test(text)) {
      this.met = true;
      return true;
    }
    if (!/^# (?:HELP|TYPE) (?:go_|process_|promhttp_|exporter_)/.test(text)) return false;
    this.foreign ??= { file: this.file, line: number, text };
    return true;
  }

  end(): void {
    for (const [id, pending] of this.pending) this.flush(id, pending);
    this.pending = new Map();
    if (!this.met && this.foreign !== null) this.into.exporterAbsent ??= this.foreign;
  }

  private flush(id: string, pending: Pending): void {
    const at = (this.counts.get(id) ?? -1) + 1;
    this.counts.set(id, at);
    this.pending.delete(id);
    if (pending.seconds === null) this.into.counted = true;
    const clock = pending.seconds === null ? 'count' : 'utc';
    this.into.timed(clock, this.file);
    this.into.add(
      id,
      pending.row,
      pending.seconds ?? at,
      this,
      (metric) => (metric === undefined ? undefined : pending.lines.get(metric)) ?? pending.place,
      clock,
    );
  }
}

function labelOf(labels: string, name: string): string | null {
  for (let at = labels.indexOf(`${name}="`); at >= 0; at = labels.indexOf(`${name}="`, at + 1)) {
    if (at > 0 && labels[at - 1] !== ',' && labels[at - 1] !== ' ') continue;
    const from = at + name.length + 2;
    const to = labels.indexOf('"', from);
    return to < 0 ? null : labels.slice(from, to);
  }
  return null;
}
