import type { NumberChange, RankChange, TraceComparison } from '../trace/compare.ts';
import { paintOf } from './paint.ts';
import { durationText } from './trace-summary.ts';
import { visible } from './visible.ts';

const stateWords = {
  new: 'new',
  gone: 'gone',
  stayed: 'stayed',
  'only-before': 'before',
  'only-after': 'after',
} as const;

/** What the numbers are of: ` (rank 0)`, ` (rank 0 and rank 2)`; nothing where there is one GPU. */
function scopeText({ scope }: TraceComparison): string {
  if (scope === null) return '';
  return scope.before === scope.after ? ` (${scope.before})` : ` (${scope.before} and ${scope.after})`;
}

/** `×1.2`, and the same for the same amount of work where that differs. */
function ratioText({ ratio, sameWorkRatio }: NumberChange): string {
  if (ratio === null) return '';
  const [whole, same] = [ratio, sameWorkRatio ?? ratio].map((each) => String(Number(each.toPrecision(3))));
  return whole === same ? `×${whole!}` : `×${whole!}, ×${same!} for the same work`;
}

/** The ranks whose idle time is most on the second side first; the rest is not printed. */
const mostRanks = 16;

/** Cells of a rank: span, idle, computing, kernels, NCCL; each before and after. */
function rankRows({ ranks }: TraceComparison): readonly (readonly string[])[] {
  const idle = (rank: RankChange): number => rank.after?.idleShare ?? -1;
  const shown = ranks.length > mostRanks ? ranks.toSorted((a, b) => idle(b) - idle(a)).slice(0, mostRanks) : ranks;
  return shown.map((rank) => {
    const both = (text: (side: NonNullable<RankChange['before']>) => string): string =>
      [rank.before, rank.after].map((side) => (side === null ? 'not there' : text(side))).join(' → ');
    const share = (value: number | null): string => valueText('_share', value);
    return [
      rank.called,
      both(({ spanNs }) => durationText(spanNs)),
      both(({ idleShare }) => share(idleShare)),
      both(({ computingShare }) => share(computingShare)),
      both(({ kernels }) => String(kernels)),
      both(({ ncclNs }) => durationText(ncclNs)),
    ];
  });
}

const rankHeads = ['', 'span', 'idle', "kernels but NCCL's", 'kernels', 'in NCCL'] as const;

function valueText(name: string, value: number | null): string {
  if (value === null) return 'not there';
  if (name.endsWith('_ns')) return durationText(value);
  return name.endsWith('_share') ? `${(100 * value).toFixed(1)} %` : value.toLocaleString('en');
}

/** A comparison of two traces for a terminal. */
export function traceComparisonText(
  comparison: TraceComparison,
  options: { readonly color: boolean; readonly columns: number | null },
): string {
  const paint = paintOf(options.color);
  const lines = [paint.strong(comparison.headline)];
  if (comparison.length.before > 0)
    lines.push(
      `  ${durationText(comparison.length.before)} before, ${durationText(comparison.length.after)} after${comparison.length.of === 'kernel' ? ', for each kernel' : ''}`,
    );
  for (const doubt of comparison.doubts) lines.push(`  but: ${doubt}`);
  if (comparison.findings.length > 0)
    lines.push(
      '',
      paint.strong('Findings'),
      ...comparison.findings.map(
        ({ cause, state, message }) => `  ${stateWords[state].padEnd(7)} ${cause}: ${message}`,
      ),
    );
  const part = (title: string, state: 'changed' | 'equal'): void => {
    const rows = comparison.numbers.filter((each) => each.state === state);
    if (rows.length === 0) return;
    lines.push('', paint.strong(title));
    for (const row of rows) {
      const { name, before, after } = row;
      lines.push(
        `  ${name.padEnd(22)} ${valueText(name, before).padStart(12)} → ${valueText(name, after).padStart(12)}  ${ratioText(row)}`.trimEnd(),
      );
    }
  };
  const scope = scopeText(comparison);
  part(`${comparison.status === 'cannot-tell' ? 'Differs' : 'Changed'}${scope}`, 'changed');
  part(`${comparison.status === 'cannot-tell' ? 'Equal' : 'Stayed equal'}${scope}`, 'equal');
  if (comparison.ranks.length > 0) {
    const rows = [rankHeads, ...rankRows(comparison)];
    const widths = rankHeads.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
    lines.push(
      '',
      paint.strong('Each rank or GPU'),
      ...rows.map((row) => `  ${row.map((text, column) => text.padEnd(widths[column]!)).join('  ')}`.trimEnd()),
    );
    if (comparison.ranks.length > mostRanks) lines.push(`  and ${comparison.ranks.length - mostRanks} more`);
  }
  if (comparison.kernels.length > 0) {
    lines.push(
      '',
      paint.strong(
        comparison.ranks.length > 0
          ? 'Kernels whose time changed most, all ranks together'
          : 'Kernels whose time changed most',
      ),
    );
    const width = Math.max(30, Math.min(options.columns ?? 110, 160) - 48);
    for (const { name, before, after, differenceNs } of comparison.kernels)
      lines.push(
        `  ${`${differenceNs > 0 ? '+' : ''}${durationText(differenceNs)}`.padStart(12)}  ${`${before?.count ?? 0} → ${after?.count ?? 0}`.padStart(18)}  ${name.length > width ? `${name.slice(0, width - 1)}…` : name}`,
      );
  }
  return `${lines.join('\n')}\n`;
}

/** The same as Markdown. */
export function traceComparisonMarkdown(comparison: TraceComparison): string {
  const cell = (text: string): string => visible(text.slice(0, 200)).replaceAll(/[\\`*_{}[\]<>|~]/g, String.raw`\$&`);
  const lines = [`**${cell(comparison.headline)}**`, ''];
  for (const doubt of comparison.doubts) lines.push(`- but: ${cell(doubt)}`);
  if (comparison.findings.length > 0)
    lines.push(
      '',
      '| finding | | says |',
      '| --- | --- | --- |',
      ...comparison.findings.map(
        ({ cause, state, message }) => `| ${cause} | ${stateWords[state]} | ${cell(message)} |`,
      ),
    );
  if (comparison.numbers.length > 0)
    lines.push(
      '',
      `| number${scopeText(comparison)} | before | after | |`,
      '| --- | ---: | ---: | --- |',
      ...comparison.numbers.map(
        ({ name, before, after, state }) =>
          `| ${cell(name)} | ${valueText(name, before)} | ${valueText(name, after)} | ${state} |`,
      ),
    );
  if (comparison.ranks.length > 0)
    lines.push(
      '',
      `| ${rankHeads.join(' | ')} |`,
      `| ${rankHeads.map(() => '---').join(' | ')} |`,
      ...rankRows(comparison).map((row) => `| ${row.map(cell).join(' | ')} |`),
    );
  if (comparison.kernels.length > 0)
    lines.push(
      '',
      '| kernel | time | count |',
      '| --- | ---: | ---: |',
      ...comparison.kernels.map(
        ({ name, before, after, differenceNs }) =>
          `| ${cell(name)} | ${differenceNs > 0 ? '+' : ''}${durationText(differenceNs)} | ${before?.count ?? 0} → ${after?.count ?? 0} |`,
      ),
    );
  return `${lines.join('\n')}\n`;
}
