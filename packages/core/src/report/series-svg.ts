import { panelColumns } from '../utilization/panel-columns.ts';
import type { PanelRow } from '../utilization/panels.rows.ts';
import { panels, reasonRows } from '../utilization/panels.rows.ts';
import type { GpuData, SeriesData } from '../utilization/series-data.ts';
import { axisTexts, numberText, timeSteps, timeText } from '../utilization/time-texts.ts';
import { escapeHtml } from './html-page.ts';
import { visible, wrap } from './visible.ts';

/** GPUs that one picture holds. */
const mostGpus = 16;
/** Numbers that the histories of a picture may have. */
export const mostPictureNumbers = 200_000;

const width = 960;
const left = 64;
const right = 32;
const plotWidth = width - left - right;
const plotHeight = 72;

const style = `
text{font:11px system-ui,-apple-system,"Segoe UI",Roboto,Arial,sans-serif;fill:#1a1d23}
.h{font-size:14px;font-weight:600}.b{font-weight:600}.s{fill:#535b69}.m{fill:#b3400c}
.page{fill:#fff}.grid{stroke:#d9dde4}.mark{fill:#d9480f;fill-opacity:.13}.bar{fill:#d9480f}.unclear{fill:#6b7280}.harmless{fill:#98a1b0}.track{fill:#f0f2f5}
.t{stroke:#d9480f;stroke-dasharray:2 3}.l{fill:none;stroke-width:1.4;stroke-linejoin:round}.d{stroke-dasharray:5 4}.band{fill-opacity:.18;stroke:none}
.c0{stroke:#0060a8;fill:#0060a8}.c1{stroke:#b35c00;fill:#b35c00}.c2{stroke:#00795a;fill:#00795a}.c3{stroke:#a3338b;fill:#a3338b}.c4{stroke:#5f6672;fill:#5f6672}.c5{stroke:#7a6a00;fill:#7a6a00}.cl{stroke:#8a1c1c}
@media (prefers-color-scheme:dark){text{fill:#e7eaf0}.s{fill:#a4adbb}.m{fill:#ff9d5c}.page{fill:#14171c}.grid{stroke:#343b47}.mark{fill:#ff9d5c;fill-opacity:.16}.bar{fill:#ff9d5c}.track{fill:#252a33}.t{stroke:#ff9d5c}.c0{stroke:#6cb6ff;fill:#6cb6ff}.c1{stroke:#ffb054;fill:#ffb054}.c2{stroke:#4fd0a7;fill:#4fd0a7}.c3{stroke:#f08fd8;fill:#f08fd8}.c4{stroke:#b3bac6;fill:#b3bac6}.c5{stroke:#e3cf4a;fill:#e3cf4a}.cl{stroke:#ff8f86}}
.l{fill:none}
`.trim();

/**
 * Time lines of GPUs as one SVG picture that needs no script, for a Markdown page or a ticket: the same panels and marks
 * as in the HTML page, light or dark as the reader's system is.
 */
export function seriesSvg(data: SeriesData): string {
  const parts: string[] = [];
  const gpus = data.gpus.slice(0, mostGpus);
  const from = Math.min(...gpus.map(({ start }) => start));
  const to = Math.max(from + 1e-9, ...gpus.map(endOf));
  const x = (seconds: number): number => left + ((seconds - from) / (to - from)) * plotWidth;
  let y = 8;
  for (const [at, finding] of data.findings.entries()) {
    if (finding.kind === 'healthy' && data.findings.some(({ kind }) => kind === 'fault')) continue;
    if (at >= 12) break;
    const words = `${finding.kind === 'unclear' ? 'not clear' : finding.kind}: ${finding.message}`;
    for (const line of wrap(visible(words), 125).slice(0, 3)) {
      y += 16;
      parts.push(`<text x="8" y="${y}"${finding.kind === 'fault' ? ' class="b"' : ''}>${text(line)}</text>`);
    }
  }
  for (const gpu of gpus) {
    y += 26;
    parts.push(
      `<text x="8" y="${y}" class="h">${text(gpu.called)}<tspan class="s" font-size="11" font-weight="400" dx="8">${text(`${gpu.name ?? ''} ${numberText(gpu.samples)} samples`.trim())}</tspan></text>`,
    );
    y += 6;
    for (const finding of data.findings) {
      const bars = finding.marks.filter((mark) => mark.gpu === gpu.gpu);
      if (bars.length === 0) continue;
      y = lane(parts, y, finding.cause, finding.kind === 'unclear' ? 'unclear' : 'bar', bars, x);
    }
    for (const row of panels) {
      y = panel(parts, y, row, gpu, data, x, { from, to });
      if (row.id === 'clocks') y = reasons(parts, y, gpu, x);
    }
  }
  const more = data.gpus.length - gpus.length + data.left;
  if (more > 0) {
    y += 20;
    parts.push(`<text x="8" y="${y}" class="s">${more} more GPUs are not drawn</text>`);
  }
  const height = y + 14;
  const title = `time lines of ${data.gpus.length} GPU${data.gpus.length === 1 ? '' : 's'}, ${timeText(from, data.clock)} to ${timeText(to, data.clock)}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">`,
    `<title id="title">${text(title)}</title>`,
    `<style>${style}</style>`,
    `<rect class="page" width="${width}" height="${height}"/>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n');
}

function endOf({ start, step, metrics }: GpuData): number {
  return start + step * Math.max(1, ...metrics.map(({ means }) => means.length));
}

type Span = { readonly from: number; readonly to: number };
type Scale = (value: number) => number;

/** A row of bars; @returns where the next part begins */
function lane(parts: string[], y: number, label: string, style: string, bars: readonly Span[], x: Scale): number {
  parts.push(
    `<text x="${left}" y="${y + 11}">${text(label)}</text>`,
    `<rect class="track" x="${left}" y="${y + 15}" width="${plotWidth}" height="7"/>`,
    ...bars.map(
      (bar) =>
        `<rect class="${style}" x="${cut(x(bar.from))}" y="${y + 15}" width="${cut(Math.max(1, x(bar.to) - x(bar.from)))}" height="7"/>`,
    ),
  );
  return y + 26;
}

function reasons(parts: string[], y: number, gpu: GpuData, x: Scale): number {
  const metric = gpu.metrics.find(({ id }) => id === 'reasons');
  const masks = metric?.highest ?? metric?.means ?? [];
  for (const { bit, name, harmless } of reasonRows) {
    const bars: { from: number; to: number }[] = [];
    masks.forEach((mask, at) => {
      if (mask === null || (mask & bit) === 0) return;
      const from = gpu.start + at * gpu.step;
      const last = bars.at(-1);
      if (last !== undefined && last.to >= from) last.to = from + gpu.step;
      else bars.push({ from, to: from + gpu.step });
    });
    if (bars.length > 0) y = lane(parts, y, `clocks held down by: ${name}`, harmless ? 'harmless' : 'bar', bars, x);
  }
  return y;
}

function panel(
  parts: string[],
  start: number,
  row: PanelRow,
  gpu: GpuData,
  data: SeriesData,
  x: Scale,
  span: Span,
): number {
  const lines = row.metrics.flatMap((id) => gpu.metrics.find((metric) => metric.id === id) ?? []);
  if (lines.length === 0 || (row.seldom === true && lines.every(({ max }) => max <= 0))) return start;
  const limits = (row.limits ?? []).flatMap((id) => gpu.metrics.find((metric) => metric.id === id) ?? []);
  const all = [...lines, ...limits];
  const top = Math.max(row.top ?? 0, ...all.map(({ max }) => max)) * (row.top === 100 ? 1 : 1.08) || 1;
  const above = start + 18;
  const below = above + plotHeight;
  const y: Scale = (value) => below - (Math.min(top, Math.max(0, value)) / top) * plotHeight;
  const keys = lines.map(
    ({ id, mean, min, max }, at) =>
      `<tspan dx="10" class="c${at % 6}" stroke="none">■</tspan><tspan dx="3">${text(`${id} ⌀ ${numberText(mean)} (${numberText(min)} to ${numberText(max)})`)}</tspan>`,
  );
  parts.push(
    `<text x="${left}" y="${start + 13}"><tspan class="b">${text(row.title)}</tspan>${keys.join('')} <tspan class="s">${row.unit}</tspan></text>`,
  );
  const found = data.findings.filter(({ metrics }) => metrics.some((id) => row.metrics.includes(id)));
  for (const mark of found.flatMap(({ marks }) => marks.filter((each) => each.gpu === gpu.gpu)))
    parts.push(
      `<rect class="mark" x="${cut(x(mark.from))}" y="${above}" width="${cut(Math.max(1, x(mark.to) - x(mark.from)))}" height="${plotHeight}"/>`,
    );
  for (const value of [0, top / 2, top].map((each) => (row.top === 100 ? each : nice(each, top))))
    parts.push(
      `<path class="grid" d="M${left} ${cut(y(value))}H${width - right}"/><text class="s" x="${left - 6}" y="${cut(y(value) + 4)}" text-anchor="end">${numberText(value)}</text>`,
    );
  const step = stepOf(span, data.clock);
  const ticks: number[] = [];
  for (let at = Math.ceil(span.from / step) * step; at <= span.to; at += step) ticks.push(at);
  axisTexts(ticks, data.clock, step).forEach((label, at) => {
    const [time = '', day] = label.split('\n');
    const place = cut(x(ticks[at]!));
    parts.push(
      `<path class="grid" d="M${place} ${above}V${below}"/><text class="s" x="${place}" y="${below + 13}" text-anchor="middle">${text(time)}${day === undefined ? '' : ` ${text(day)}`}</text>`,
    );
  });
  const { times, columns } = panelColumns(gpu, all);
  all.forEach((metric, at) => {
    const style = at < lines.length ? `c${at % 6}` : 'cl';
    if (metric.highest !== null && at < lines.length)
      parts.push(band(times, columns[3 * at + 1]!, columns[3 * at + 2]!, x, y, style));
    const d = path(times, columns[3 * at]!, x, y);
    if (d !== '') parts.push(`<path class="${style} l${at < lines.length ? '' : ' d'}" d="${d}"/>`);
  });
  const drawn = new Set<string>();
  for (const { metric, threshold, value } of found
    .filter(({ marks }) => marks.some((each) => each.gpu === gpu.gpu))
    .flatMap((each) => each.lines)) {
    if (!row.metrics.includes(metric) || drawn.has(threshold) || value > top) continue;
    drawn.add(threshold);
    parts.push(
      `<path class="t" d="M${left} ${cut(y(value))}H${width - right}"/><text class="m" x="${width - right - 4}" y="${cut(y(value) - 3)}" text-anchor="end">${text(threshold)} ${numberText(value)}</text>`,
    );
  }
  return below + 20;
}

type Column = readonly (number | null | undefined)[];

/** A line through the known values; `undefined` is bridged, null ends it. */
function path(times: readonly number[], column: Column, x: Scale, y: Scale): string {
  let d = '';
  let open = false;
  column.forEach((value, at) => {
    if (value === undefined) return;
    if (value === null) {
      open = false;
      return;
    }
    d += `${open ? 'L' : 'M'}${cut(x(times[at]!))} ${cut(y(value))}`;
    // A point alone is seen as a short line.
    if (!open && (column[at + 1] === null || at === column.length - 1)) d += 'h1';
    open = true;
  });
  return d;
}

/** What lies between least and most. */
function band(times: readonly number[], low: Column, high: Column, x: Scale, y: Scale, style: string): string {
  const known = times.flatMap((time, at) => (low[at] == null || high[at] == null ? [] : [{ time, at }]));
  if (known.length < 2) return '';
  const up = known.map(({ time, at }) => `${cut(x(time))} ${cut(y(high[at]!))}`);
  const down = known.toReversed().map(({ time, at }) => `${cut(x(time))} ${cut(y(low[at]!))}`);
  return `<path class="${style} band" d="M${[...up, ...down].join('L')}Z"/>`;
}

function stepOf(span: Span, clock: SeriesData['clock']): number {
  const wanted = (span.to - span.from) / 8;
  if (clock === 'samples') {
    const power = 10 ** Math.floor(Math.log10(Math.max(1, wanted)));
    return [1, 2, 5, 10].map((each) => each * power).find((each) => each >= wanted) ?? power * 10;
  }
  return timeSteps.find((step) => step >= wanted) ?? Math.ceil(wanted / 31_536_000) * 31_536_000;
}

/** A label's value: two digits are enough. */
function nice(value: number, top: number): number {
  if (value === 0) return 0;
  const unit = 10 ** (Math.floor(Math.log10(top)) - 1);
  return Math.max(unit, Math.floor(value / unit) * unit);
}

function cut(value: number): number {
  return Math.round(value * 10) / 10;
}

function text(value: string): string {
  return escapeHtml(visible(value));
}
