import { sizeText } from '../trace/findings/text.ts';
import type { GapKind } from '../trace/findings/gap-causes.ts';
import type { CriticalPath, PathKind } from '../trace/critical-path.ts';
import type { RankComparison } from '../trace/findings/ranks.ts';
import type { GpuSummary, SummaryRow, TraceSummary } from '../trace/summary.ts';
import { escapeHtml } from './html-page.ts';
import { paintOf } from './paint.ts';
import { visible } from './visible.ts';

/** A table in plain words: its title, its columns, its rows. */
interface Table {
  readonly title: string;
  readonly columns: readonly { readonly title: string; readonly number: boolean }[];
  readonly rows: readonly (readonly string[])[];
}

const idleWords: Readonly<Record<GapKind, string>> = {
  sync: 'the CPU waited for the GPU, and nothing was queued',
  copy: 'the CPU was in a copy',
  alloc: 'the CPU allocated or freed memory',
  launch: 'the CPU was launching',
  loader: 'the input was not there',
  compile: 'code was compiled or loaded',
  capture: 'CUDA graphs were captured',
  host: "the program's own code ran on the CPU",
  queued: 'work was queued and had to wait',
  unknown: 'nothing was recorded',
};

const pathWords: Readonly<Record<PathKind, string>> = {
  kernel: 'kernel',
  collective: 'collective',
  copy: 'copy',
  memset: 'memset',
  graph: 'graph',
  call: 'call',
  program: "the program's own code between calls",
  latency: 'from a launch to its start',
};

/** `1.24 ms`. */
export function durationText(ns: number): string {
  const size = Math.abs(ns);
  const [by, unit] = size >= 1e9 ? [1e9, 's'] : size >= 1e6 ? [1e6, 'ms'] : size >= 1e3 ? [1e3, 'µs'] : [1, 'ns'];
  return `${Number((ns / by).toPrecision(4))} ${unit}`;
}

const percentText = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** The tables of a trace for a terminal. */
export function summaryText(
  summary: TraceSummary,
  options: { readonly color: boolean; readonly columns: number | null },
): string {
  const paint = paintOf(options.color);
  const width = Math.max(60, Math.min(options.columns ?? 110, 160));
  const lines: string[] = [];
  for (const { title, columns, rows } of tablesOf(summary)) {
    lines.push('', paint.strong(title));
    const widths = columns.map(({ title: head }, at) =>
      Math.max(head.length, ...rows.map((row) => (row[at] ?? '').length)),
    );
    // The last column takes what is left of the line.
    const last = widths.length - 1;
    const room = Math.max(20, width - 2 - widths.slice(0, last).reduce((sum, each) => sum + each + 2, 0));
    const line = (cells: readonly string[]): string =>
      `  ${cells
        .map((cell, at) =>
          at === last
            ? cell.length > room
              ? `${cell.slice(0, room - 1)}…`
              : cell
            : columns[at]!.number
              ? cell.padStart(widths[at]!)
              : cell.padEnd(widths[at]!),
        )
        .join('  ')
        .trimEnd()}`;
    lines.push(paint.dim(line(columns.map((column) => column.title))), ...rows.map(line));
  }
  return lines.length === 0 ? '' : `${lines.join('\n').trimStart()}\n`;
}

/** The same as Markdown tables. */
export function summaryMarkdown(summary: TraceSummary): string {
  const cell = (text: string): string => visible(text).replaceAll(/[\\`*_{}[\]<>|~]/g, String.raw`\$&`);
  return tablesOf(summary)
    .map(({ title, columns, rows }) =>
      [
        `### ${cell(title)}`,
        '',
        `| ${columns.map((column) => column.title).join(' | ')} |`,
        `| ${columns.map(({ number }) => (number ? '---:' : '---')).join(' | ')} |`,
        ...rows.map((row) => `| ${row.map((each) => cell(each.slice(0, 200))).join(' | ')} |`),
        '',
      ].join('\n'),
    )
    .join('\n');
}

/** The same as HTML. */
export function summaryHtml(summary: TraceSummary): string {
  const text = (value: string): string => escapeHtml(visible(value));
  return tablesOf(summary)
    .map(({ title, columns, rows }) => {
      const style = (at: number): string => (columns[at]!.number ? ' class="num"' : '');
      const head = columns.map((column, at) => `<th scope="col"${style(at)}>${text(column.title)}</th>`).join('');
      const body = rows.map(
        (row) => `<tr>${row.map((each, at) => `<td${style(at)}>${text(each)}</td>`).join('')}</tr>`,
      );
      return `<section class="card"><h2>${text(title)}</h2>\n<div class="scroll" tabindex="0" role="region" aria-label="${text(title)}"><table>\n<thead><tr>${head}</tr></thead>\n<tbody>\n${body.join('\n')}\n</tbody></table></div>\n</section>`;
    })
    .join('\n');
}

function tablesOf({ gpus, path, ranks }: TraceSummary): readonly Table[] {
  const tables = [
    ...(ranks === null ? [] : [ranksTable(ranks)]),
    ...gpus.slice(0, 8).flatMap(gpuTables),
    ...(path === null || path.totalNs <= 0 ? [] : [pathTable(path)]),
  ];
  // A name may hold line breaks, and be of any length.
  return tables.map((table) => ({
    ...table,
    rows: table.rows.map((row) => row.map((each) => visible(each.slice(0, 1000).replaceAll(/[\r\n]/g, ' ')))),
  }));
}

const left = (title: string): Table['columns'][number] => ({ title, number: false });
const right = (title: string): Table['columns'][number] => ({ title, number: true });

function gpuTables(gpu: GpuSummary): readonly Table[] {
  const of = gpu.called === '' ? '' : ` of ${gpu.called}`;
  const table = (title: string, rows: readonly SummaryRow[], of100: string): readonly Table[] =>
    rows.length === 0
      ? []
      : [
          {
            title: `${title}${of}`,
            columns: [
              right('time'),
              right(of100),
              right('count'),
              right('longest'),
              ...(rows.some(({ bytes }) => bytes !== null) ? [right('bytes')] : []),
              left('name'),
            ],
            rows: rows.map(({ name, count, totalNs, share, longestNs, bytes }) => [
              durationText(totalNs),
              percentText(share),
              count.toLocaleString('en'),
              longestNs === null ? '' : durationText(longestNs),
              ...(rows.some((row) => row.bytes !== null) ? [bytes === null ? '' : sizeText(bytes)] : []),
              name,
            ]),
          },
        ];
  const idle = gpu.spanNs - gpu.busyNs;
  return [
    ...table('Kernels', gpu.kernels, 'of all'),
    ...table('Copies and memsets', gpu.copies, 'of all'),
    ...table('Streams', gpu.streams, 'of all'),
    ...table('Calls', gpu.calls, 'of all'),
    ...(gpu.idle.length === 0 || idle <= 0
      ? []
      : [
          {
            title: `The GPU${gpu.called === '' ? '' : ` (${gpu.called})`} stands idle ${durationText(idle)} of ${durationText(gpu.spanNs)} (${percentText(idle / gpu.spanNs)})`,
            columns: [right('time'), right('of idle'), left('meanwhile')],
            rows: gpu.idle.map(({ cause, ns }) => [durationText(ns), percentText(ns / idle), idleWords[cause]]),
          },
        ]),
  ];
}

function pathTable(path: CriticalPath): Table {
  return {
    title: `Critical path, estimated: ${durationText(path.totalNs)}`,
    columns: [right('time'), right('of it'), right('count'), left('what')],
    rows: path.parts
      .slice(0, 10)
      .map(({ kind, name, count, totalNs }) => [
        durationText(totalNs),
        percentText(totalNs / path.totalNs),
        count.toLocaleString('en'),
        name === '' ? pathWords[kind] : `${pathWords[kind]} ${name}`,
      ]),
  };
}

function ranksTable(ranks: RankComparison): Table {
  const missing =
    ranks.missing === null || ranks.missing.length === 0
      ? ''
      : `; no trace of ${ranks.missing.slice(0, 16).join(', ')}`;
  return {
    title: `Ranks, by ${ranks.matched.toLocaleString('en')} collectives; median spread of arrival ${durationText(ranks.spreadMedianNs)}${missing}`,
    columns: [
      left('rank'),
      right('late (median)'),
      right('came last'),
      right('others waited'),
      right('waited'),
      right('idle'),
      right('median kernel'),
      right('exposed NCCL'),
      right('clock'),
    ],
    rows: ranks.ranks.map((each) => [
      each.called,
      durationText(each.lateNs),
      each.last.toLocaleString('en'),
      durationText(each.delayNs),
      durationText(each.waitedNs),
      percentText(each.spanNs === 0 ? 0 : each.idleNs / each.spanNs),
      durationText(each.computeNs),
      durationText(each.exposedNs),
      durationText(each.offsetNs),
    ]),
  };
}
