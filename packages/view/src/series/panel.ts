import uPlot from 'uplot';
import type { FindingData, GpuData, MetricData, SeriesData } from '@culprit/core/utilization/series-data';
import type { PanelRow } from '@culprit/core/utilization/panels.rows';
import { nearValue, panelColumns } from '@culprit/core/utilization/panel-columns';
import { axisTexts, numberText, timeSteps, timeText } from '@culprit/core/utilization/time-texts';
import { element } from '../dom.ts';
import { colour, isDark } from '../theme.ts';

/** Lines in the light and in the dark: told apart by people who see colours differently (after Okabe and Ito). */
const palette: readonly (readonly [string, string])[] = [
  ['#0060a8', '#6cb6ff'],
  ['#b35c00', '#ffb054'],
  ['#00795a', '#4fd0a7'],
  ['#a3338b', '#f08fd8'],
  ['#5f6672', '#b3bac6'],
  ['#7a6a00', '#e3cf4a'],
];
const limitColour: readonly [string, string] = ['#8a1c1c', '#ff8f86'];
const gutter = 58;
const height = 132;

/** What pictures share: the shown span, and where the pointer is. */
export interface Shared {
  readonly data: SeriesData;
  readonly span: { from: number; to: number };
  /** Shows another span in all pictures; null: all of it. */
  zoom(span: { readonly from: number; readonly to: number } | null): void;
}

export interface Panel {
  readonly root: HTMLElement;
  /** Draws it, once it comes into sight. */
  draw(): void;
  zoomed(): void;
  recoloured(): void;
  resized(): void;
}

/** One picture: the metrics of a panel on one GPU. Null where nothing of it was measured. */
export function panelOf(row: PanelRow, gpu: GpuData, shared: Shared): Panel | null {
  const lines = row.metrics.flatMap((id) => gpu.metrics.find((metric) => metric.id === id) ?? []);
  if (lines.length === 0 || (row.seldom === true && lines.every(({ max }) => max <= 0))) return null;
  const limits = (row.limits ?? []).flatMap((id) => gpu.metrics.find((metric) => metric.id === id) ?? []);
  const metrics = [...lines, ...limits];
  const findings = shared.data.findings.filter(
    (each) => each.marks.some((mark) => mark.gpu === gpu.gpu) && each.metrics.some((id) => row.metrics.includes(id)),
  );
  const values = lines.map(() => element('b'));
  const readout = element(
    'p',
    { class: 'readout' },
    ...lines.map((metric, at) =>
      element('span', { class: `key key-${at}`, title: metric.what }, metric.id, ' ', values[at]!),
    ),
    ...limits.map((metric) =>
      element(
        'span',
        { class: 'key limit', title: metric.what },
        metric.id,
        ' ',
        element('b', {}, numberText(metric.max)),
      ),
    ),
    row.unit,
  );
  const plot = element('div', { class: 'plot', role: 'img', 'aria-label': spoken(row, gpu, lines, findings) });
  const root = element(
    'div',
    { class: 'panel', 'data-panel': row.id },
    element('div', { class: 'panel-head' }, element('h4', {}, row.title), readout),
    plot,
  );
  const showMeans = (): void =>
    lines.forEach((metric, at) => (values[at]!.textContent = `⌀ ${numberText(metric.mean)}`));
  showMeans();
  let chart: uPlot | null = null;
  return {
    root,
    draw: () => {
      if (chart !== null) return;
      chart = chartOf({ row, gpu, lines, metrics, findings, shared, plot, values, showMeans });
      root.dataset['drawn'] = 'true';
    },
    zoomed: () => chart?.setScale('x', { min: shared.span.from, max: shared.span.to }),
    recoloured: () => chart?.redraw(false, true),
    resized: () => chart?.setSize({ width: Math.max(200, plot.clientWidth), height }),
  };
}

interface ChartParts {
  readonly row: PanelRow;
  readonly gpu: GpuData;
  readonly lines: readonly MetricData[];
  readonly metrics: readonly MetricData[];
  readonly findings: readonly FindingData[];
  readonly shared: Shared;
  readonly plot: HTMLElement;
  readonly values: readonly HTMLElement[];
  showMeans(): void;
}

function chartOf(parts: ChartParts): uPlot {
  const { row, gpu, lines, metrics, findings, shared, plot, values } = parts;
  const { clock } = shared.data;
  const { times, columns } = panelColumns(gpu, metrics);
  const stroke = (at: number) => (): string =>
    (at < lines.length ? palette[at % palette.length]! : limitColour)[Number(isDark())]!;
  const soft = (): string => colour('--soft');
  const top = Math.max(row.top ?? 0, ...metrics.map(({ max }) => max)) * (row.top === 100 ? 1 : 1.08) || 1;
  const floor = row.id === 'heat' ? Math.max(0, Math.floor(Math.min(...lines.map(({ min }) => min)) / 10) * 10) : 0;
  const options: uPlot.Options = {
    width: Math.max(200, plot.clientWidth),
    height,
    legend: { show: false },
    padding: [6, 30, 0, 0],
    cursor: {
      y: false,
      points: { size: 5 },
      drag: { x: true, y: false, setScale: false },
      sync: { key: 'series', scales: ['x', null] },
      bind: {
        dblclick: () => () => {
          shared.zoom(null);
          return null;
        },
      },
    },
    scales: {
      x: { time: false, min: shared.span.from, max: shared.span.to, auto: false },
      y: { range: [floor, top] },
    },
    axes: [
      {
        stroke: soft,
        grid: { stroke: () => colour('--line'), width: 1 },
        ticks: { show: false },
        size: clock === 'date' ? 34 : 22,
        font: '11px system-ui, sans-serif',
        space: 76,
        ...(clock === 'samples' ? {} : { incrs: [...timeSteps] }),
        values: (_, splits, __, ___, step) => axisTexts(splits, clock, step),
      },
      {
        stroke: soft,
        grid: { stroke: () => colour('--line'), width: 1 },
        ticks: { show: false },
        size: gutter,
        font: '11px system-ui, sans-serif',
        space: 26,
        values: (_, splits) => splits.map((value) => numberText(value)),
      },
    ],
    series: [
      {},
      ...metrics.flatMap((metric, at): uPlot.Series[] => {
        const dashed = at >= lines.length;
        return [
          {
            label: metric.id,
            stroke: stroke(at),
            width: 1.5,
            ...(dashed ? { dash: [5, 4] } : {}),
            points: { show: times.length === 1 },
            spanGaps: false,
          },
          { stroke: () => 'transparent', width: 0, points: { show: false } },
          { stroke: () => 'transparent', width: 0, points: { show: false } },
        ];
      }),
    ],
    bands: lines.map((_, at) => ({
      series: [3 * at + 3, 3 * at + 2] as uPlot.Band.Bounds,
      fill: () => `${stroke(at)()}2e`,
    })),
    hooks: {
      drawClear: [(chart) => drawMarks(chart, gpu, findings)],
      draw: [(chart) => drawThresholds(chart, row, findings, top)],
      setSelect: [
        (chart) => {
          const { left, width } = chart.select;
          if (width < 4) return;
          const from = chart.posToVal(left, 'x');
          const to = chart.posToVal(left + width, 'x');
          chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          shared.zoom({ from, to });
        },
      ],
      setCursor: [
        (chart) => {
          const at = chart.cursor.idx;
          if (at == null || (chart.cursor.left ?? -1) < 0) {
            parts.showMeans();
            return;
          }
          lines.forEach((_, line) => {
            const value = nearValue(columns[3 * line]!, at, 8);
            values[line]!.textContent = value === null ? '–' : numberText(value);
          });
          const time = document.querySelector('#series-time');
          if (time !== null) time.textContent = timeText(times[at]!, clock);
        },
      ],
    },
  };
  return new uPlot(options, [[...times], ...columns.map((column) => [...column])] as uPlot.AlignedData, plot);
}

/** Colours a stretch in which a finding holds. */
function drawMarks(chart: uPlot, gpu: GpuData, findings: readonly FindingData[]): void {
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  for (const finding of findings) {
    const paint = colour(finding.kind === 'unclear' ? '--doubt' : '--mark');
    for (const mark of finding.marks) {
      if (mark.gpu !== gpu.gpu) continue;
      const left = chart.valToPos(mark.from, 'x', true);
      const width = Math.max(devicePixelRatio, chart.valToPos(mark.to, 'x', true) - left);
      ctx.fillStyle = `${paint}1f`;
      ctx.fillRect(left, bbox.top, width, bbox.height);
      ctx.fillStyle = paint;
      ctx.fillRect(left, bbox.top, width, 2 * devicePixelRatio);
    }
  }
  ctx.restore();
}

/** The thresholds that findings are held to, as lines with their names. */
function drawThresholds(chart: uPlot, row: PanelRow, findings: readonly FindingData[], top: number): void {
  const { ctx, bbox } = chart;
  const drawn = new Set<string>();
  ctx.save();
  ctx.font = `${10 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textAlign = 'right';
  for (const { metric, threshold, value } of findings.flatMap((each) => each.lines)) {
    if (!row.metrics.includes(metric) || drawn.has(threshold) || value > top) continue;
    drawn.add(threshold);
    const y = Math.round(chart.valToPos(value, 'y', true)) + 0.5;
    ctx.strokeStyle = colour('--mark');
    ctx.fillStyle = colour('--mark');
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    const under = y - bbox.top < 14 * devicePixelRatio;
    const place = [
      `${threshold} ${numberText(value)}`,
      bbox.left + bbox.width - 4 * devicePixelRatio,
      under ? y + 11 * devicePixelRatio : y - 4 * devicePixelRatio,
    ] as const;
    ctx.setLineDash([]);
    ctx.lineWidth = 3 * devicePixelRatio;
    ctx.strokeStyle = colour('--card');
    ctx.strokeText(...place);
    ctx.fillText(...place);
  }
  ctx.restore();
}

/** What a picture shows, for those who do not see it. */
function spoken(row: PanelRow, gpu: GpuData, lines: readonly MetricData[], findings: readonly FindingData[]): string {
  const numbers = lines.map(
    ({ id, min, mean, max }) => `${id} mean ${numberText(mean)}, ${numberText(min)} to ${numberText(max)} ${row.unit}`,
  );
  const marked = findings.length === 0 ? '' : `; marked: ${findings.map(({ cause }) => cause).join(', ')}`;
  return `${row.title} of ${gpu.called}: ${numbers.join('; ')}${marked}`;
}
