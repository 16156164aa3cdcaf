import type { Knowledge } from '../knowledge/knowledge.ts';
import { fields } from '../utilization/fields.rows.ts';
import type { MetricRow } from '../utilization/metrics.rows.ts';
import { metrics } from '../utilization/metrics.rows.ts';
import type { Thresholds } from '../utilization/thresholds.rows.ts';
import { thresholds as thresholdRows } from '../utilization/thresholds.rows.ts';
import type { AlertRow } from './prometheus-alerts.rows.ts';
import { alerts, records } from './prometheus-alerts.rows.ts';

/** Counters of the profiling module; all others are read from NVML. */
const profiling: ReadonlySet<string> = new Set(
  'smact smocc gract tensor dram fp64 fp32 fp16 rx tx nvlink-rx nvlink-tx'.split(' '),
);

/** Counters that etc/default-counters.csv of dcgm-exporter switches on (release 4; the Helm chart adds some of `profiling`). */
const byDefault: ReadonlySet<string> = new Set(
  'sm-clock memory-clock memory-temperature temperature power replays util mem encoder decoder xid held remap-failed'.split(
    ' ',
  ),
);

/**
 * Recording and alerting rules for Prometheus as YAML: the findings of `culprit util` on the counters of dcgm-exporter.
 * @param thresholds what findings are held to: the built-in ones, or those that were overridden
 */
export function rulePack(thresholds: Thresholds, knowledge: Knowledge, version: string): string {
  const wanted = wantedMetrics();
  const changed = thresholdRows.filter(({ name, value }) => thresholds[name] !== value).map(({ name }) => name);
  const lines = [
    `# Prometheus rules of culprit ${version} for dcgm-exporter: culprit util --rules`,
    '#',
    '# Load it with rule_files, or as the spec of a PrometheusRule; check it with promtool check rules.',
    '# culprit:NAME is a counter in one unit, whatever the exporter calls it: %, W, MHz, °C, MiB, MB/s.',
    '# Every alert names its cause, who acts, the page that explains it (culprit explain) and the command that comes next.',
    `# Thresholds are those of culprit util --thresholds${changed.length === 0 ? '' : `; changed: ${changed.join(', ')}`}.`,
    '# Utilisation is not counted for MIG instances: alerts on it stay silent there.',
    '#',
    '# Alerts that stay silent with the default counters of dcgm-exporter, and what to export for them:',
    ...alerts.flatMap((row) => {
      const missing = missingFields(row);
      return missing.length === 0 ? [] : [`#   ${row.alert}: ${missing.join(', ')}`];
    }),
    'groups:',
    '  - name: culprit-counters',
    '    rules:',
    ...wanted.flatMap((metric) => [
      `      # ${metric.what}${metric.unit === '' ? '' : `, ${metric.unit}`}`,
      ...rule('record', recordName(metric.id), source(metric)),
    ]),
    ...wanted
      .filter(({ id }) => uses(`${recordName(id)}:avg5m`))
      .flatMap(({ id }) => rule('record', `${recordName(id)}:avg5m`, `avg_over_time(${recordName(id)}[5m])`)),
    '  - name: culprit-shares',
    '    rules:',
    ...records.flatMap(({ record, what, expr }) => [
      `      # ${what}`,
      ...rule('record', record, withThresholds(expr, thresholds)),
    ]),
    '  - name: culprit-alerts',
    '    rules:',
    ...alerts.flatMap((row) => alertRule(row, thresholds, knowledge)),
    '',
  ];
  return lines.join('\n');
}

/** Series names of a metric that dcgm-exporter may have, the usual one first. */
export function seriesNames(metric: MetricRow): readonly string[] {
  const kind = profiling.has(metric.id) ? 'PROF' : 'DEV';
  return (metric.exported ?? []).map((name) => `DCGM_FI_${kind}_${name}`);
}

/** Name of the recording rule of a metric. */
export function recordName(id: string): string {
  return `culprit:${id.replaceAll('-', '_')}`;
}

/** Fields that an alert needs and that are not exported by default. */
function missingFields(row: AlertRow): readonly string[] {
  return row.needs.filter((id) => !byDefault.has(id)).map(fieldOf);
}

function fieldOf(id: string): string {
  const known = fields.find(({ metric }) => metric === id)?.field;
  const metric = metrics.find((each) => each.id === id);
  return known ?? (metric === undefined ? id : (seriesNames(metric)[0] ?? id));
}

function wantedMetrics(): readonly MetricRow[] {
  return metrics.filter((metric) => metric.exported !== undefined && uses(recordName(metric.id)));
}

function uses(record: string): boolean {
  const whole = new RegExp(`${record}(?![a-z0-9_])`);
  return [...alerts, ...records].some(({ expr }) => whole.test(expr));
}

function source(metric: MetricRow): string {
  const names = seriesNames(metric);
  const joined = names.length === 1 ? names[0]! : `(${names.join(' or ')})`;
  return metric.scale === undefined || metric.scale === 1 ? names.join(' or ') : `${metric.scale} * ${joined}`;
}

/** Puts the numbers of the thresholds in. */
function withThresholds(expr: string, thresholds: Thresholds): string {
  return expr.replaceAll(/\$([a-z0-9][a-z0-9-]*)/g, (_, name: string) => {
    const value = thresholds[name];
    if (value === undefined) throw new RangeError(`no threshold ${name}`);
    return String(value);
  });
}

function alertRule(row: AlertRow, thresholds: Thresholds, knowledge: Knowledge): readonly string[] {
  const [layer = '', name = ''] = row.rule.split('/');
  const cause = knowledge.causes.find((each) => each.cause === name);
  const missing = missingFields(row);
  const held = [...new Set([...row.expr.matchAll(/\$([a-z0-9][a-z0-9-]*)/g)].map(([, threshold]) => threshold!))];
  const labels = {
    severity: row.severity,
    culprit_cause: name,
    culprit_layer: layer,
    culprit_owner: cause?.owner ?? 'operator',
    culprit_certainty: row.certainty,
  };
  const where = row.alert === 'CulpritExporterDown' ? '{{ $labels.instance }}' : place(row);
  const annotations = {
    summary: `${where}${where === '' ? '' : ': '}${row.summary}`,
    description: row.description,
    thresholds: held.map((each) => `${each} ${thresholds[each]}`).join(', '),
    explain: `culprit explain ${row.rule}`,
    next: row.next,
    needs: missing.length === 0 ? '' : `${missing.join(', ')} (not among the default counters of dcgm-exporter)`,
  };
  return [
    `      # ${row.rule}, ${row.certainty}${missing.length === 0 ? '' : `; needs ${missing.join(', ')}`}`,
    ...rule('alert', row.alert, withThresholds(row.expr, thresholds)),
    ...(row.for === '0m' ? [] : [`        for: ${row.for}`]),
    '        labels:',
    ...texts(labels),
    '        annotations:',
    ...texts(annotations),
  ];
}

/** What the alert is about, by the labels that its condition leaves. */
function place(row: AlertRow): string {
  if (row.alert === 'CulpritExporterAbsent') return '';
  if (row.expr.startsWith('count by (Hostname)')) return 'node {{ $labels.Hostname }}';
  return 'GPU {{ $labels.gpu }} of {{ $labels.Hostname }}{{ if $labels.pod }} (pod {{ $labels.pod }}){{ end }}';
}

function rule(kind: 'record' | 'alert', name: string, expr: string): readonly string[] {
  const lines = expr.split('\n');
  return [
    `      - ${kind}: ${name}`,
    ...(lines.length === 1
      ? [`        expr: ${JSON.stringify(expr)}`]
      : ['        expr: |-', ...lines.map((line) => `          ${line}`)]),
  ];
}

/** A JSON string is a YAML string in double quotes. */
function texts(values: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(values)
    .filter(([, value]) => value !== '')
    .map(([key, value]) => `          ${key}: ${JSON.stringify(value)}`);
}
