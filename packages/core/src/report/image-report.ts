// What `culprit image` says of an image: the answer, what it rests on, and the inventory in short.
import type { ImageContents } from '../image/contents.ts';
import type { Finding, Verdict } from '../model/verdict.ts';
import type { ImageReport } from '../image/model.ts';
import type { ReportOptions } from './verdict-report.ts';
import { imageRows, layerRows } from './image-rows.ts';
import { lookupOf } from './lookup.ts';
import { markdownReport, prose } from './markdown-report.ts';
import { paintOf } from './paint.ts';
import { textReport } from './text-report.ts';
import { visible, wrap } from './visible.ts';
import { layerWords } from './words.ts';

/** What is printed of one image. */
export interface ShownImage {
  readonly report: ImageReport;
  readonly verdict: Verdict;
  readonly contents: ImageContents;
}

/** For a terminal. */
export function imageText(image: ShownImage, options: ReportOptions): string {
  const paint = paintOf(options.color);
  const width = Math.max(40, options.columns ?? 120);
  const body = textReport(image.verdict, lookupOf(options.knowledge, image.verdict), {
    ...options,
    left: [...options.left, ...image.contents.left],
  });
  // The line on the tables stays the last one.
  const end = body.trimEnd().lastIndexOf('\n');
  const lines = [body.slice(0, end).trimEnd()];
  const remarks = remarksOf(image);
  if (remarks.length > 0) {
    lines.push('', paint.strong('Worth knowing'));
    for (const each of remarks)
      lines.push(...indented(`${layerWords[each.layer]}: ${visible(each.message)} (${each.rule})`, 2, width));
  }
  lines.push('', paint.strong(`In ${visible(titleOf(image.report))}`));
  const rows = [...imageRows(image.contents), ...layerRows(image.contents, image.report.findings)];
  const names = Math.max(...rows.map((row) => row.what.length));
  let last = '';
  for (const row of rows) {
    const [first = '', ...more] = wrap(visible(row.text), width - names - 4);
    const layer = row.layer === null ? '' : paint.dim(`  layer ${row.layer}`);
    lines.push(`  ${(row.what === last ? '' : row.what).padEnd(names)}  ${first}${more.length === 0 ? layer : ''}`);
    more.forEach((each, at) => lines.push(`${' '.repeat(names + 4)}${each}${at === more.length - 1 ? layer : ''}`));
    last = row.what;
  }
  return `${lines.join('\n')}\n${body.slice(end)}`;
}

/** For an issue or a chat. */
export function imageMarkdown(image: ShownImage, options: ReportOptions): string {
  const body = markdownReport(image.verdict, lookupOf(options.knowledge, image.verdict), {
    ...options,
    left: [...options.left, ...image.contents.left],
  });
  const end = body.trimEnd().lastIndexOf('\n\n');
  const parts = [body.slice(0, end).trimEnd()];
  const remarks = remarksOf(image);
  if (remarks.length > 0)
    parts.push(
      '### Worth knowing',
      remarks.map((each) => `- ${layerWords[each.layer]}: ${prose(each.message)} (\`${each.rule}\`)`).join('\n'),
    );
  parts.push(
    `### In ${prose(titleOf(image.report))}`,
    [
      '| what | | layer |',
      '|---|---|---|',
      ...[...imageRows(image.contents), ...layerRows(image.contents, image.report.findings)].map(
        (row) => `| ${prose(row.what)} | ${prose(row.text)} | ${row.layer === null ? '' : row.layer} |`,
      ),
    ].join('\n'),
  );
  return `${parts.join('\n\n')}${body.slice(end)}`;
}

/** What is only possible, of an image that is sound. */
function remarksOf({ report, verdict }: ShownImage): readonly Finding[] {
  return report.findings.filter((each) => !verdict.findings.includes(each));
}

function titleOf(report: ImageReport): string {
  const digest = report.digest === null ? '' : `, ${report.digest.slice(0, 19)}`;
  return `${report.reference} (${report.platform}${digest})`;
}

function indented(text: string, by: number, width: number): readonly string[] {
  return wrap(text, width - by).map((line) => `${' '.repeat(by)}${line}`);
}
