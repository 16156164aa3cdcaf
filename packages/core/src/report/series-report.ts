import type { FactValues } from '../model/facts.ts';
import type { Verdict } from '../model/verdict.ts';
import { metricAt } from '../utilization/gpu-series.ts';
import { metrics } from '../utilization/metrics.rows.ts';
import type { SeriesSet } from '../utilization/series-set.ts';

const bars = '▁▂▃▄▅▆▇█';
const drawn = ['util', 'smact', 'power', 'rx', 'tx'] as const;
const mostDrawn = 16;

/** A line of bars: every column is the mean of its stretch, and a blank is not known. */
export function sparkline(values: readonly (number | null)[], columns: number, top: number): string {
  const count = Math.min(columns, values.length);
  return Array.from({ length: count }, (_, at) => {
    const part = values.slice(Math.floor((at * values.length) / count), Math.floor(((at + 1) * values.length) / count));
    const known = part.filter((value) => value !== null);
    if (known.length === 0 || top <= 0) return known.length === 0 ? ' ' : bars[0];
    const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
    return bars[Math.max(0, Math.min(7, Math.floor((mean / top) * 8)))];
  }).join('');
}

/** The numbers of the findings against their thresholds, then time lines of each GPU, for a terminal. */
export function seriesText(set: SeriesSet, verdict: Verdict, columns: number): string {
  const lines: string[] = [];
  for (const { message, measured } of findingsIn(verdict).toSorted(
    (a, b) => Number(a.kind === 'healthy') - Number(b.kind === 'healthy'),
  )) {
    if (measured.length === 0) continue;
    lines.push('', message);
    for (const { name, value, is, threshold } of measured)
      lines.push(`  ${name}: ${value} ${is} ${set.thresholds[threshold]} (--threshold ${threshold}=…)`);
  }
  for (const series of [...set.gpus.values()].slice(0, mostDrawn)) {
    const name = series.name === null ? '' : ` (${series.name})`;
    lines.push('', `GPU ${series.id}${name}: ${series.rows} sample${series.rows === 1 ? '' : 's'}`);
    for (const id of drawn) {
      const at = metricAt(id);
      const running = series.all[at]!;
      if (running.count === 0) continue;
      const { unit } = metrics[at]!;
      const top = unit === '%' ? 100 : running.max;
      const [mean, least, most] = [running.mean, running.min, running.max].map(round);
      const numbers = least === most ? `${mean} ${unit}` : `mean ${mean}, ${least} to ${most} ${unit}`;
      lines.push(`  ${id.padEnd(6)} ${sparkline(series.history(at), Math.max(20, columns - 48), top)}  ${numbers}`);
    }
  }
  if (set.gpus.size > mostDrawn) lines.push('', `${set.gpus.size - mostDrawn} more GPUs; --format csv has them all`);
  return lines.length === 0 ? '' : `${lines.join('\n').trimStart()}\n`;
}

/** The same as a Markdown table. */
export function seriesMarkdown(set: SeriesSet, verdict: Verdict): string {
  const rows = [...set.gpus.values()].flatMap((series) =>
    metrics.flatMap(({ id, unit }, at) => {
      const running = series.all[at]!;
      return running.count === 0
        ? []
        : [
            `| ${cell(series.id)} | ${id} | ${round(running.mean)} | ${round(running.min)} | ${round(running.max)} | ${unit} |`,
          ];
    }),
  );
  const held = findingsIn(verdict).flatMap(({ cause, measured }) =>
    measured.map(
      ({ name, value, is, threshold }) =>
        `| ${cause} | ${cell(name)} | ${value} | ${is} ${set.thresholds[threshold]} | ${threshold} |`,
    ),
  );
  return [
    '| GPU | counter | mean | least | most | unit |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
    '',
    ...(held.length === 0
      ? []
      : ['| cause | number | value | held to | threshold |', '| --- | --- | --- | --- | --- |', ...held, '']),
  ].join('\n');
}

/** The series as a table: one row for each GPU and stretch of time. */
export function seriesCsv(set: SeriesSet): string {
  const used = metrics
    .map((_, at) => at)
    .filter((at) => [...set.gpus.values()].some((series) => series.all[at]!.count > 0));
  const lines = [['gpu', 'seconds', ...used.map((at) => metrics[at]!.id)].join(',')];
  for (const series of set.gpus.values()) {
    const { stretch, length } = series.grid;
    const columns = used.map((at) => series.history(at));
    for (let at = 0; at < length; at++) {
      const values = columns.map((column) => column[at] ?? null);
      if (values.every((value) => value === null)) continue;
      lines.push(
        [csvCell(series.id), at * stretch, ...values.map((value) => (value === null ? '' : round(value)))].join(','),
      );
    }
  }
  return `${lines.join('\n')}\n`;
}

function findingsIn(verdict: Verdict): readonly FactValues['util.finding'][] {
  return verdict.facts
    .filter((fact) => fact.id === 'util.finding')
    .map((fact) => fact.value as FactValues['util.finding']);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function cell(text: string): string {
  return text.replaceAll('|', String.raw`\|`);
}

function csvCell(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
