import { marks } from '../utilization/marks.rows.ts';
import { metrics } from '../utilization/metrics.rows.ts';
import type { PanelRow } from '../utilization/panels.rows.ts';
import { panels, reasonRows } from '../utilization/panels.rows.ts';
import type { Thresholds } from '../utilization/thresholds.rows.ts';
import { seriesNames } from './prometheus-pack.ts';

/** Units of a panel as Grafana names them. */
const units: Readonly<Record<string, string>> = {
  '%': 'percent',
  W: 'watt',
  MHz: 'rotmhz',
  '°C': 'celsius',
  MiB: 'decmbytes',
  'MB/s': 'MBs',
  '': 'short',
};

const source = { type: 'prometheus', uid: '${datasource}' } as const;
const chosen = 'Hostname=~"$node",gpu=~"$gpu",pod=~"$pod"';

/**
 * A dashboard for Grafana (schema version 41, Grafana 11.6 and later; older ones load it too): the panels of the page of
 * `culprit util` on the counters of dcgm-exporter, thresholds beside them, and the alerts of the rule pack as marks.
 */
export function dashboard(thresholds: Thresholds, version: string): object {
  let id = 1;
  const shown: object[] = [alertTable(id++)];
  let y = 7;
  let column = 0;
  for (const row of panels) {
    const targets = targetsOf(row);
    if (targets.length === 0) continue;
    shown.push(timeSeries(id++, row, targets, limitsOf(row, thresholds), { x: column * 12, y }));
    column = 1 - column;
    if (column === 0) y += 8;
  }
  shown.push(reasonTimeline(id++, { x: 0, y: y + 8 * column }));
  return {
    __inputs: [],
    __requires: [
      { type: 'grafana', id: 'grafana', name: 'Grafana', version: '10.0.0' },
      { type: 'datasource', id: 'prometheus', name: 'Prometheus', version: '1.0.0' },
    ],
    annotations: {
      list: [
        {
          datasource: source,
          enable: true,
          hide: false,
          iconColor: 'orange',
          name: 'culprit alerts',
          expr: 'ALERTS{alertname=~"Culprit.*",alertstate="firing",Hostname=~"$node|",gpu=~"$gpu|"}',
          step: '60s',
          tagKeys: 'culprit_cause,Hostname,gpu',
          textFormat: 'culprit explain {{culprit_cause}}',
          titleFormat: '{{alertname}} GPU {{gpu}} of {{Hostname}}',
          useValueForTime: false,
        },
      ],
    },
    description: `What GPUs really do, on the counters of dcgm-exporter. Made by culprit ${version}: culprit util --dashboard`,
    editable: true,
    fiscalYearStartMonth: 0,
    graphTooltip: 1,
    id: null,
    links: [],
    liveNow: false,
    panels: shown,
    refresh: '1m',
    schemaVersion: 41,
    tags: ['gpu', 'culprit'],
    templating: { list: variables() },
    time: { from: 'now-3h', to: 'now' },
    timepicker: {},
    timezone: '',
    title: 'GPUs: what they really do',
    uid: 'culprit-util',
    version: 1,
    weekStart: '',
  };
}

function variables(): readonly object[] {
  const of = (name: string, label: string, text: string, query: string): object => ({
    allValue: '.*',
    current: { selected: true, text: ['All'], value: ['$__all'] },
    datasource: source,
    definition: query,
    hide: 0,
    includeAll: true,
    label,
    multi: true,
    name,
    description: text,
    options: [],
    query: { query, refId: `variable-${name}` },
    refresh: 2,
    regex: '',
    sort: 3,
    type: 'query',
  });
  return [
    {
      current: {},
      hide: 0,
      includeAll: false,
      label: 'data source',
      multi: false,
      name: 'datasource',
      options: [],
      query: 'prometheus',
      refresh: 1,
      regex: '',
      type: 'datasource',
    },
    of('node', 'node', 'label Hostname of dcgm-exporter', 'label_values(DCGM_FI_DEV_GPU_TEMP, Hostname)'),
    of('gpu', 'GPU', 'index', 'label_values(DCGM_FI_DEV_GPU_TEMP{Hostname=~"$node"}, gpu)'),
    of('pod', 'pod', 'that holds the GPU', 'label_values(DCGM_FI_DEV_GPU_TEMP{Hostname=~"$node"}, pod)'),
  ];
}

function targetsOf(row: PanelRow): readonly object[] {
  const wanted = [...row.metrics, ...(row.limits ?? [])];
  return wanted.flatMap((id, at) => {
    const metric = metrics.find((each) => each.id === id);
    if (metric?.exported === undefined) return [];
    const names = seriesNames(metric).map((name) => `${name}{${chosen}}`);
    const joined = names.length === 1 ? names[0]! : `(${names.join(' or ')})`;
    // Counters of errors are drawn as what was added.
    const expr =
      /errors$/.test(row.id) && !/^(?:xid|remap)/.test(id)
        ? names.map((name) => `increase(${name}[$__rate_interval])`).join(' or ')
        : metric.scale === undefined || metric.scale === 1
          ? names.join(' or ')
          : `${metric.scale} * ${joined}`;
    return [
      {
        datasource: source,
        editorMode: 'code',
        expr,
        legendFormat: `${id} {{Hostname}} {{gpu}}{{GPU_I_ID}}`,
        range: true,
        refId: String.fromCharCode(65 + at),
      },
    ];
  });
}

/** Thresholds of findings that are shown on these metrics. */
function limitsOf(row: PanelRow, thresholds: Thresholds): readonly number[] {
  const values = marks.flatMap(({ all }) =>
    all.flatMap(({ metric, than, of }) =>
      typeof than === 'string' && of === undefined && row.metrics.includes(metric) ? (thresholds[than] ?? []) : [],
    ),
  );
  return [...new Set(values)].toSorted((a, b) => a - b);
}

function timeSeries(
  id: number,
  row: PanelRow,
  targets: readonly object[],
  limits: readonly number[],
  place: { readonly x: number; readonly y: number },
): object {
  return {
    id,
    type: 'timeseries',
    title: row.title,
    description: row.metrics
      .map((metric) => `${metric}: ${metrics.find((each) => each.id === metric)?.what ?? ''}`)
      .join('\n\n'),
    datasource: source,
    gridPos: { h: 8, w: 12, ...place },
    targets,
    options: {
      legend: { calcs: ['mean', 'max'], displayMode: 'table', placement: 'bottom', showLegend: true },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
    fieldConfig: {
      defaults: {
        color: { mode: 'palette-classic' },
        custom: {
          drawStyle: 'line',
          fillOpacity: 5,
          lineWidth: 1,
          showPoints: 'never',
          spanNulls: false,
          thresholdsStyle: { mode: limits.length === 0 ? 'off' : 'dashed' },
        },
        min: 0,
        ...(row.top === undefined ? {} : { max: row.top }),
        thresholds: {
          mode: 'absolute',
          steps: [{ color: 'transparent', value: null }, ...limits.map((value) => ({ color: 'orange', value }))],
        },
        unit: units[row.unit] ?? 'short',
      },
      overrides: (row.limits ?? []).map((limit) => ({
        matcher: { id: 'byRegexp', options: `/^${limit} /` },
        properties: [
          { id: 'custom.lineStyle', value: { dash: [8, 6], fill: 'dash' } },
          { id: 'custom.fillOpacity', value: 0 },
        ],
      })),
    },
  };
}

/** Which reasons hold clocks down, as a time line by reason. */
function reasonTimeline(id: number, place: { readonly x: number; readonly y: number }): object {
  const metric = metrics.find((each) => each.id === 'reasons')!;
  const names = seriesNames(metric).map((name) => `${name}{${chosen}}`);
  return {
    id,
    type: 'state-timeline',
    title: 'Clocks held down by',
    description: 'Bits of the mask of clock event reasons (field 112). A power cap alone is usual under load.',
    datasource: source,
    gridPos: { h: 8, w: 24, ...place },
    targets: reasonRows
      .filter(({ bit }) => bit !== 1)
      .map(({ bit, name }, at) => ({
        datasource: source,
        editorMode: 'code',
        expr: `max by (Hostname, gpu) (floor((${names.join(' or ')}) / ${bit}) % 2) > 0`,
        legendFormat: `${name} {{Hostname}} {{gpu}}`,
        range: true,
        refId: String.fromCharCode(65 + at),
      })),
    options: { mergeValues: true, rowHeight: 0.8, showValue: 'never', legend: { showLegend: false } },
    fieldConfig: {
      defaults: {
        color: { mode: 'thresholds' },
        custom: { fillOpacity: 80, lineWidth: 0 },
        thresholds: { mode: 'absolute', steps: [{ color: 'orange', value: null }] },
      },
      overrides: [],
    },
  };
}

/** The alerts that fire now. */
function alertTable(id: number): object {
  return {
    id,
    type: 'table',
    title: 'What is wrong now: alerts of culprit util --rules',
    description: 'Empty while nothing fires, and while the rule pack is not loaded.',
    datasource: source,
    gridPos: { h: 7, w: 24, x: 0, y: 0 },
    targets: [
      {
        datasource: source,
        editorMode: 'code',
        expr: 'ALERTS{alertname=~"Culprit.*",alertstate="firing",Hostname=~"$node|",gpu=~"$gpu|"}',
        format: 'table',
        instant: true,
        refId: 'A',
      },
    ],
    transformations: [
      {
        id: 'organize',
        options: {
          excludeByName: { Time: true, Value: true, __name__: true, alertstate: true, job: true, instance: true },
          indexByName: { severity: 0, alertname: 1, Hostname: 2, gpu: 3, pod: 4, culprit_cause: 5, culprit_owner: 6 },
        },
      },
    ],
    options: { cellHeight: 'sm', showHeader: true },
    fieldConfig: { defaults: { custom: { align: 'auto' } }, overrides: [] },
  };
}
