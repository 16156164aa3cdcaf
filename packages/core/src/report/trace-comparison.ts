import type { TraceComparison } from '../trace/compare.ts';
import { paintOf } from './paint.ts';
import { durationText } from './trace-summary.ts';
import { visible } from './visible.ts';

const stateWords = { new: 'new', gone: 'gone', stayed: 'stayed' } as const;

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
    lines.push(`  ${durationText(comparison.length.before)} before, ${durationText(comparison.length.after)} after`);
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
    for (const { name, before, after, ratio } of rows)
      lines.push(
        `  ${name.padEnd(22)} ${valueText(name, before).padStart(12)} → ${valueText(name, after).padStart(12)}${ratio === null ? '' : `  ×${Number(ratio.toPrecision(3))}`}`,
      );
  };
  part('Changed', 'changed');
  part('Stayed equal', 'equal');
  if (comparison.kernels.length > 0) {
    lines.push('', paint.strong('Kernels whose time changed most'));
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
      '| number | before | after | |',
      '| --- | ---: | ---: | --- |',
      ...comparison.numbers.map(
        ({ name, before, after, state }) =>
          `| ${cell(name)} | ${valueText(name, before)} | ${valueText(name, after)} | ${state} |`,
      ),
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
