import type { Knowledge } from '../knowledge/knowledge.ts';
import type { ProfiledKernel } from '../trace/ncu-kernels.ts';
import { paintOf } from './paint.ts';
import { wrap } from './visible.ts';

/** Numbers that are shown of a kernel, in this order. */
const shown = [
  'theoretical-occupancy',
  'achieved-occupancy',
  'active-threads-per-warp',
  'not-predicated-threads-per-warp',
  'sm-throughput',
  'memory-throughput',
  'dram-throughput',
  'waves-per-sm',
  'registers-per-thread',
  'bank-conflict-share',
  'bank-conflict-way',
  'excessive-sectors-share',
  'sectors-per-request',
  'sector-use-percent',
  'tensor-pipe',
] as const;

interface Row {
  readonly title: string;
  readonly value: string;
  readonly means: string;
  readonly owner: string;
}

/** The heaviest kernels of a profile and their numbers, each with what it counts and whose it is, for a terminal. */
export function traceText(
  kernels: readonly ProfiledKernel[],
  most: number,
  knowledge: Knowledge,
  options: { readonly color: boolean; readonly columns: number | null },
): string {
  const paint = paintOf(options.color);
  const width = Math.max(40, Math.min(options.columns ?? 100, 100));
  const lines: string[] = [];
  for (const [at, kernel] of kernels.slice(0, most).entries()) {
    lines.push('', paint.strong(titleOf(kernel)));
    for (const { title, value, means, owner } of rowsOf(kernel, knowledge)) {
      lines.push(`  ${title.padEnd(44)} ${value}`);
      // What a number means is said once.
      if (at === 0) lines.push(...wrap(`${means} (${owner})`, width - 6).map((line) => paint.dim(`      ${line}`)));
    }
  }
  if (kernels.length > most) lines.push('', `${kernels.length - most} more kernels; --top N shows them`);
  return lines.length === 0 ? '' : `${lines.join('\n').trimStart()}\n`;
}

/** The same as Markdown tables. */
export function traceMarkdown(kernels: readonly ProfiledKernel[], most: number, knowledge: Knowledge): string {
  const cell = (text: string): string => text.replaceAll('|', String.raw`\|`);
  return kernels
    .slice(0, most)
    .map((kernel) =>
      [
        `### ${cell(titleOf(kernel))}`,
        '',
        '| number | value | what it tells | whose |',
        '| --- | --- | --- | --- |',
        ...rowsOf(kernel, knowledge).map(
          (row) => `| ${row.title} | ${row.value} | ${cell(row.means)} | ${row.owner} |`,
        ),
        '',
      ].join('\n'),
    )
    .join('\n');
}

function titleOf(kernel: ProfiledKernel): string {
  const time =
    kernel.totalNs === null
      ? ''
      : `: ${duration(kernel.totalNs)}${kernel.share === null ? '' : `, ${(kernel.share * 100).toFixed(1)} % of the time`}`;
  const launches = kernel.launches === 1 ? '' : `, ${kernel.launches} launches, the longest one is shown`;
  return `${kernel.name.slice(0, 160)}${time}${launches}`;
}

function rowsOf(kernel: ProfiledKernel, knowledge: Knowledge): readonly Row[] {
  const rows: Row[] = [];
  for (const id of shown) {
    const number = kernel.numbers.get(id);
    const metric = knowledge.ncuMetrics.find((each) => each.id === id);
    if (number === undefined || metric === undefined) continue;
    const part = (number.value / 0.32).toFixed(0);
    const of32 =
      id === 'active-threads-per-warp'
        ? ` of 32: warp execution efficiency ${part} %`
        : id === 'not-predicated-threads-per-warp'
          ? ` of 32 (${part} %)`
          : '';
    rows.push({
      title: metric.title,
      value: `${number.value}${metric.unit === '%' ? ' %' : of32}`,
      means: `${metric.definition} ${metric.reads}`,
      owner: metric.owner,
    });
  }
  const threads = kernel.numbers.get('active-threads-per-warp');
  const counting = kernel.numbers.get('not-predicated-threads-per-warp');
  if (threads !== undefined && counting !== undefined && threads.value > counting.value)
    rows.push({
      title: 'predicated-off threads per warp',
      value: (threads.value - counting.value).toFixed(2),
      means:
        'Threads that take part in an instruction which a predicate switches off for them: lanes that count for nothing.',
      owner: 'developer',
    });
  for (const { reason, share } of kernel.stalls.slice(0, 3)) {
    const known = knowledge.stallReasons.find((each) => each.id === reason);
    rows.push({
      title: `stall: ${reason.replaceAll('_', ' ')}`,
      value: `${(share * 100).toFixed(1)} % of the cycles of a warp`,
      means:
        known === undefined
          ? 'This reason is not in the tables.'
          : `Warps wait for ${known.what}. What helps: ${known.helps}.`,
      owner: known?.owner ?? 'developer',
    });
  }
  return rows;
}

function duration(ns: number): string {
  if (ns >= 1e9) return `${(ns / 1e9).toFixed(2)} s`;
  if (ns >= 1e6) return `${(ns / 1e6).toFixed(2)} ms`;
  return ns >= 1e3 ? `${(ns / 1e3).toFixed(2)} us` : `${ns.toFixed(0)} ns`;
}
