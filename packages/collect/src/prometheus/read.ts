// Reads the counters of GPUs out of a server into a set of series, page by page.
import { emptyRow } from '@culprit/core/utilization/gpu-series';
import {
  exportedMetric,
  exportedNames,
  exportedPattern,
  exportedValue,
  gpuOfLabels,
} from '@culprit/core/utilization/exported-labels';
import { metrics } from '@culprit/core/utilization/metrics.rows';
import type { SeriesSet } from '@culprit/core/utilization/series-set';
import type { PrometheusClient } from './client.ts';
import type { Labels, Line } from './answers.ts';
import { labelsOf, matrixOf, strange } from './answers.ts';
import { PrometheusError } from './errors.ts';
import type { Period } from './period.ts';
import { mostPoints, pagesOf, usualStep } from './period.ts';
import type { Selection } from './selection.ts';
import { formsOf, quoted } from './selection.ts';
import { targetsOf } from './targets.ts';

export interface Question extends Period, Selection {
  /** Seconds between two points; null for the interval of the scrapes. */
  readonly step: number | null;
}

/** What was read. */
export interface PrometheusRead {
  readonly series: number;
  readonly samples: number;
  readonly step: number;
  readonly pages: number;
  /** What the server said of its own answers, and what could not be told. */
  readonly notes: readonly string[];
}

/** Most series that are asked for; more must be narrowed. */
const mostSeries = 20_000;
/** Most points of all series in one page. */
const pagePoints = 250_000;
/** Metrics without which much cannot be told. */
const important: readonly (readonly string[])[] = [
  ['GPU_UTIL'],
  ['SM_ACTIVE'],
  ['SM_OCCUPANCY'],
  ['GR_ENGINE_ACTIVE'],
  ['PIPE_TENSOR_ACTIVE'],
  ['DRAM_ACTIVE'],
  ['PCIE_TX_BYTES'],
  ['PCIE_RX_BYTES'],
  ['NVLINK_TX_BYTES'],
  ['POWER_USAGE'],
  ['CLOCK_THROTTLE_REASONS', 'CLOCKS_EVENT_REASONS', 'CLOCKS_EVENT_REASON'],
  ['FB_USED'],
];

/**
 * Reads what a server has of the GPUs of a selection in a period.
 * @param told how far it is, for a person who waits
 * @throws PrometheusError where the server is not reached or refuses, or nothing matches the selection
 */
export async function readPrometheus(
  client: PrometheusClient,
  question: Question,
  set: SeriesSet,
  told: (words: string | null) => void = () => {},
): Promise<PrometheusRead> {
  const notes = new Set<string>();
  const note = (warnings: readonly string[]): void => {
    for (const each of warnings) if (notes.size < 40) notes.add(`${client.name}: ${each}`);
  };
  told(`asking ${client.name}`);
  // A form that matches nothing costs one question; a series that two match is read once.
  const owners = new Map<string, number>();
  const series: Labels[] = [];
  const forms = formsOf(question);
  const used: number[] = [];
  for (const [at, form] of forms.entries()) {
    const found = await seriesOf(client, selectorOf(form), question, note);
    const before = owners.size;
    for (const labels of found) {
      const key = keyOf(labels);
      if (owners.has(key)) continue;
      owners.set(key, at);
      series.push(labels);
    }
    if (owners.size > mostSeries)
      throw new PrometheusError(
        'too-much',
        `more than ${mostSeries} series match`,
        '--node, --pod, --gpu or --selector narrows the choice',
      );
    if (owners.size > before) used.push(at);
  }
  const targets = await targetsOf(client, question, series.length > 0, note);
  if (series.length === 0) {
    if (targets.absent === null) throw await nothing(client, question, note);
    set.exporterAbsent ??= { file: client.name, line: 1, text: targets.absent };
    set.kinds.add('exporter');
    told(null);
    return { series: 0, samples: 0, step: question.step ?? 0, pages: 0, notes: [...notes, ...targets.notes] };
  }
  for (const words of targets.notes) notes.add(words);
  const lacking = notExported(series);
  if (lacking.length > 0)
    notes.add(`not exported, so nothing is known of it: ${lacking.join(', ')} (the counters file of dcgm-exporter)`);
  const step = question.step ?? usualStep(question, await intervalOf(client, series, question));
  const feed = new Feed(set, client.name, series);
  let points = Math.max(1, Math.min(mostPoints, Math.floor(pagePoints / series.length)));
  let pages = 0;
  let from = question.from;
  while (from <= question.to) {
    const { value: page } = pagesOf({ from, to: question.to }, step, points).next() as { value: Period };
    const share = (page.to - question.from) / Math.max(1, question.to - question.from);
    told(`${Math.round(100 * share)} % of the period read, ${feed.samples} samples`);
    try {
      for (const at of used) {
        const answer = await client.ask('query_range', [
          ['query', selectorOf(forms[at]!)],
          ['start', String(page.from)],
          ['end', String(page.to)],
          ['step', String(step)],
        ]);
        note(answer.warnings);
        feed.page(matrixOf(client, answer.data), (labels) => (owners.get(keyOf(labels)) ?? at) === at);
      }
    } catch (error) {
      if (!(error instanceof PrometheusError) || error.code !== 'too-much' || points === 1) throw error;
      // A server that gives less in one answer is asked for less.
      feed.drop();
      points = Math.max(1, Math.floor(points / 4));
      continue;
    }
    feed.flush();
    pages++;
    from = page.to + step;
  }
  told(null);
  if (feed.samples === 0)
    notes.add(`${client.name}: the series that match have no point in the period at a step of ${step} s`);
  if (feed.unnamed > 0) notes.add(`${feed.unnamed} series name no GPU (no label gpu, UUID or device) and are left out`);
  return { series: series.length, samples: feed.samples, step, pages, notes: [...notes] };
}

function selectorOf(form: readonly string[]): string {
  return `{${[`__name__=~"${exportedPattern}"`, ...form].join(',')}}`;
}

async function seriesOf(
  client: PrometheusClient,
  selector: string,
  { from, to }: Period,
  note: (warnings: readonly string[]) => void,
  limit = mostSeries + 1,
): Promise<readonly Labels[]> {
  const { data, warnings } = await client.ask('series', [
    ['match[]', selector],
    ['start', String(from)],
    ['end', String(to)],
    ['limit', String(limit)],
  ]);
  // That a limit was met is said elsewhere.
  note(warnings.filter((each) => !/truncated due to limit/.test(each)));
  if (!Array.isArray(data)) throw strange(client, 'series');
  return (data as readonly unknown[]).map((each) => labelsOf(each)).filter((each) => each !== null);
}

function keyOf(labels: Labels): string {
  return Object.keys(labels)
    .sort()
    .map((name) => `${name}\u0000${labels[name]!}`)
    .join('\u0001');
}

/** The usual distance of two scrapes, from the points of one series as they were stored; null where it cannot be told. */
async function intervalOf(
  client: PrometheusClient,
  series: readonly Labels[],
  { from, to }: Period,
): Promise<number | null> {
  const labels = series.find((each) => /_GPU_UTIL|GR_ENGINE/.test(each['__name__'] ?? '')) ?? series[0]!;
  const matchers = Object.entries(labels).map(([name, value]) => `${name}=${quoted(value)}`);
  try {
    const { data } = await client.ask('query', [
      ['query', `{${matchers.join(',')}}[${Math.max(60, Math.min(900, Math.ceil(to - from)))}s]`],
      ['time', String(to)],
    ]);
    const times = matrixOf(client, data).flatMap(({ values }) =>
      values.flatMap((pair) => (Array.isArray(pair) && typeof pair[0] === 'number' ? [pair[0]] : [])),
    );
    const apart = times.slice(1).map((time, at) => time - times[at]!);
    const middle = apart.filter((each) => each > 0).sort((a, b) => a - b)[apart.length >> 1];
    return middle === undefined ? null : Math.max(1, Math.round(middle));
  } catch (error) {
    // It is asked besides; a usual step does as well.
    if (error instanceof PrometheusError && error.code !== 'not-reached') return null;
    throw error;
  }
}

function notExported(series: readonly Labels[]): readonly string[] {
  const known = new Set(series.map((labels) => exportedMetric(labels['__name__'] ?? '')));
  return important
    .filter((names) => names.every((name) => !known.has(exportedNames.get(name) ?? -2)))
    .map(([name]) => fullName(name!));
}

/** The name under which a metric is usually exported. */
function fullName(name: string): string {
  return /^(?:SM_|GR_|PIPE_|DRAM_|PCIE_[TR]X|NVLINK_[TR]X)/.test(name) ? `DCGM_FI_PROF_${name}` : `DCGM_FI_DEV_${name}`;
}

/** Why nothing matches: other GPUs that the server knows help to see a name that is written otherwise. */
async function nothing(
  client: PrometheusClient,
  question: Question,
  note: (warnings: readonly string[]) => void,
): Promise<PrometheusError> {
  const all = await seriesOf(client, selectorOf([]), question, note, 2000);
  const known = all.map(gpuOfLabels);
  const list = (values: readonly (string | null)[]): string =>
    [...new Set(values.filter((each) => each !== null))].slice(0, 8).join(', ');
  const hosts = list(known.map(({ host }) => host));
  const pods = list(known.map(({ pod }) => pod));
  return new PrometheusError(
    'bad-option',
    `no GPU of ${client.name} matches the choice in the period`,
    `it has ${hosts === '' ? 'no host by name' : `the hosts ${hosts}`}${pods === '' ? '' : `, and the pods ${pods}`}`,
  );
}

/** Puts pages into a set: one row of a GPU for each point in time. */
class Feed {
  samples = 0;
  unnamed = 0;
  private readonly rows = new Map<string, Map<number, Float64Array>>();
  private readonly quotes = new Map<string, string>();
  private readonly names = new Map<string, { readonly id: string; readonly metric: number } | null>();
  private readonly several: boolean;
  private readonly set: SeriesSet;
  private readonly file: string;
  private line = 0;

  constructor(set: SeriesSet, file: string, series: readonly Labels[]) {
    this.set = set;
    this.file = file;
    // GPUs of several hosts are all called by their host.
    this.several = new Set(series.map((labels) => gpuOfLabels(labels).host)).size > 1;
    set.kinds.add('exporter');
    set.timed('utc', file);
  }

  page(lines: readonly Line[], own: (labels: Labels) => boolean): void {
    for (const { labels, values } of lines) {
      // What has no point in the page names nothing.
      if (values.length === 0 || !own(labels)) continue;
      const named = this.named(labels);
      if (named === null) continue;
      let rows = this.rows.get(named.id);
      if (rows === undefined) this.rows.set(named.id, (rows = new Map()));
      for (const pair of values) {
        if (!Array.isArray(pair) || typeof pair[0] !== 'number' || typeof pair[1] !== 'string') continue;
        const value = exportedValue(named.metric, pair[1] === '' ? Number.NaN : Number(pair[1]));
        // A gap is no zero: the row has no value there.
        if (value !== value) continue;
        let row = rows.get(pair[0]);
        if (row === undefined) rows.set(pair[0], (row = emptyRow()));
        row[named.metric] = value;
        this.samples++;
      }
    }
  }

  drop(): void {
    for (const rows of this.rows.values())
      for (const row of rows.values()) for (const value of row) if (value === value) this.samples--;
    this.rows.clear();
  }

  flush(): void {
    for (const [id, rows] of this.rows) {
      const quote = this.quotes.get(id) ?? id;
      for (const at of [...rows.keys()].sort((a, b) => a - b)) {
        const row = rows.get(at)!;
        const line = ++this.line;
        this.set.add(id, row, at, this, () => ({ file: this.file, line, text: shown(quote, row, at) }), 'utc');
      }
    }
    this.rows.clear();
  }

  private named(labels: Labels): { readonly id: string; readonly metric: number } | null {
    const key = keyOf(labels);
    const known = this.names.get(key);
    if (known !== undefined) return known;
    const metric = exportedMetric(labels['__name__'] ?? '');
    const id = metric < 0 ? null : this.idOf(labels);
    if (metric >= 0 && id === null) this.unnamed++;
    const made = id === null ? null : { id, metric };
    if (this.names.size < 2 * mostSeries) this.names.set(key, made);
    if (made !== null) this.set.columns.add(metrics[metric]!.id);
    return made;
  }

  private idOf(labels: Labels): string | null {
    const gpu = gpuOfLabels(labels);
    const whole =
      this.several && gpu.index !== null && gpu.host !== null
        ? `${gpu.host}:${gpu.index}`
        : this.set.idOf(gpu.index, gpu.uuid, gpu.host, gpu.bus);
    if (whole === null) return null;
    if (gpu.uuid?.startsWith('GPU-') === true) this.set.isBoard(whole, gpu.uuid);
    const id = gpu.instance === null ? whole : `${whole}/gi${gpu.instance}`;
    if (!this.quotes.has(id)) this.quotes.set(id, quoteOf(labels));
    if (gpu.pod !== null && !this.set.processes.has(id))
      this.set.addProcess(id, {
        pid: 0,
        name: `pod ${gpu.pod.slice(0, 200)}`,
        place: { file: this.file, line: 1, text: quoteOf(labels) },
      });
    return id;
  }
}

const quotedLabels = [
  'gpu',
  'UUID',
  'uuid',
  'device',
  'GPU_I_ID',
  'Hostname',
  'hostname',
  'node',
  'instance',
  'exported_pod',
  'pod',
];

function quoteOf(labels: Labels): string {
  return quotedLabels
    .flatMap((name) => (labels[name] === undefined ? [] : [`${name}=${JSON.stringify(labels[name].slice(0, 120))}`]))
    .join(',');
}

/** A row as an exporter would have said it at that time. */
function shown(labels: string, row: Float64Array, at: number): string {
  const metric = row.findIndex((value) => value === value);
  const found = metrics[metric];
  if (found === undefined) return labels;
  const value = Math.round((row[metric]! / (found.scale ?? 1)) * 1e6) / 1e6;
  return `${fullName(found.exported![0]!)}{${labels}} ${value} ${Math.round(at * 1000)}`;
}
