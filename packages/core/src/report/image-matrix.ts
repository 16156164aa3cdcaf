// Many images on many nodes: text, Markdown, CSV and HTML.
import type { ImageReport, Prediction } from '../image/model.ts';
import {
  answerWords,
  libcudaWords,
  modeWords,
  nodeWords,
  pairsHeadline,
  reasonWords,
  requirementWords,
} from './image-words.ts';
import { visible } from './visible.ts';

const signs: Readonly<Record<Prediction['answer'], string>> = {
  runs: 'yes',
  'runs-if': 'if',
  'does-not-run': 'no',
  'cannot-tell': '?',
};
const legend = 'yes: runs; if: runs on a condition; no: does not run; ?: cannot tell';

/** `no, 804`. */
function cell(one: Prediction | undefined): string {
  if (one === undefined) return '';
  const detail = one.errorSeen !== null && /^\d{1,4}$/.test(one.errorSeen) ? one.errorSeen : one.rule;
  return detail === null ? signs[one.answer] : `${signs[one.answer]}, ${detail}`;
}

/** A table of images and nodes, then why nothing runs where nothing does. */
export function matrixText(images: readonly ImageReport[]): string {
  const nodes = images[0]?.predictions.map(nodeWords) ?? [];
  const table = [
    ['', ...nodes],
    ...images.map((each) => [each.reference, ...nodes.map((_, at) => cell(each.predictions[at]))]),
  ].map((row) => row.map((text) => visible(text)));
  const widths: number[] = [];
  for (const row of table) row.forEach((text, at) => (widths[at] = Math.max(widths[at] ?? 0, text.length)));
  const lines = table.map((row) =>
    row
      .map((text, at) => text.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const reasons = images.flatMap((each) =>
    each.predictions
      .filter((one) => one.answer !== 'runs')
      .map((one) => visible(`${each.reference} on ${nodeWords(one)}: ${reasonWords(one)}`)),
  );
  return `${[pairsHeadline(images), '', ...lines, '', legend, ...(reasons.length === 0 ? [] : ['', ...reasons.slice(0, 100)])].join('\n')}\n`;
}

/** GitHub tables: the answers, then each pair with its reason. */
export function imagesMarkdown(images: readonly ImageReport[]): string {
  const nodes = images[0]?.predictions.map(nodeWords) ?? [];
  const lines = [
    `**${pipe(pairsHeadline(images))}**`,
    '',
    `| image | ${nodes.map(pipe).join(' | ')} |`,
    `| --- |${' --- |'.repeat(nodes.length)}`,
    ...images.map(
      (each) => `| ${pipe(each.reference)} | ${nodes.map((_, at) => pipe(cell(each.predictions[at]))).join(' | ')} |`,
    ),
    '',
    `${legend}.`,
    '',
    '| image | node | answer | why | start | requirement | libcuda |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...images.flatMap((each) =>
      each.predictions.map(
        (one) =>
          `| ${[each.reference, nodeWords(one), answerWords[one.answer], reasonWords(one), modeWords(one), requirementWords(one), libcudaWords(one)].map(pipe).join(' | ')} |`,
      ),
    ),
    '',
  ];
  return lines.join('\n');
}

/** One line for each pair, RFC 4180. */
export function imagesCsv(images: readonly ImageReport[]): string {
  const rows = [
    [
      'image',
      'digest',
      'platform',
      'node',
      'on',
      'mode',
      'requirement_checked',
      'requirement_holds',
      'starts',
      'compat_used',
      'compat_by',
      'libcuda',
      'libcuda_version',
      'answer',
      'rule',
      'error_seen',
      'needs',
      'unknown',
    ],
    ...images.flatMap((each) =>
      each.predictions.map((one) => [
        each.reference,
        each.digest ?? '',
        each.platform,
        nodeWords(one),
        Object.entries(one.on)
          .map(([key, value]) => `${key}=${String(value)}`)
          .join(','),
        one.mode ?? '',
        text(one.requirement.checked),
        text(one.requirement.holds),
        text(one.starts),
        text(one.compat.used),
        one.compat.by ?? '',
        one.libcuda.kind ?? '',
        one.libcuda.version ?? '',
        one.answer,
        one.rule ?? '',
        one.errorSeen ?? '',
        one.needs ?? '',
        one.unknown.join('; '),
      ]),
    ),
  ];
  return `${rows.map((row) => row.map(csvCell).join(',')).join('\r\n')}\r\n`;
}

function text(value: boolean | null): string {
  return value === null ? '' : String(value);
}

/** Quoted where needed; a leading `=`, `+`, `-` or `@` is kept from being a formula in a spreadsheet. */
function csvCell(value: string): string {
  const safe = /^[=+\-@\t]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A page of its own: nothing is loaded from anywhere. */
export function imagesHtml(images: readonly ImageReport[], asOf: string): string {
  const nodes = images[0]?.predictions.map(nodeWords) ?? [];
  const colours: Readonly<Record<Prediction['answer'], string>> = {
    runs: 'yes',
    'runs-if': 'if',
    'does-not-run': 'no',
    'cannot-tell': 'open',
  };
  const body = images.map(
    (each) =>
      `<tr><th scope="row">${html(each.reference)}</th>${nodes
        .map((_, at) => {
          const one = each.predictions[at];
          if (one === undefined) return '<td></td>';
          const parts = [reasonWords(one), modeWords(one), `requirement ${requirementWords(one)}`, libcudaWords(one)];
          return `<td class="${colours[one.answer]}"><details><summary>${html(answerWords[one.answer])}${one.errorSeen !== null && /^\d{1,4}$/.test(one.errorSeen) ? ` (${one.errorSeen})` : ''}</summary>${parts.map((part) => `<p>${html(part)}</p>`).join('')}</details></td>`;
        })
        .join('')}</tr>`,
  );
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><title>images on nodes</title>',
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; style-src \'unsafe-inline\'">',
    '<style>body{font:14px/1.5 system-ui,sans-serif;margin:2em;color:#1a1a1a;background:#fff}table{border-collapse:collapse}th,td{border:1px solid #bbb;padding:.4em .7em;text-align:left;vertical-align:top}.yes{background:#d9f2dd}.if{background:#fff3cd}.no{background:#f8d7da}.open{background:#e6e8eb}summary{cursor:pointer}p{margin:.3em 0}</style>',
    '</head><body><h1>Images on nodes</h1>',
    `<p><strong>${html(pairsHeadline(images))}</strong></p>`,
    `<table><thead><tr><th scope="col">image</th>${nodes.map((node) => `<th scope="col">${html(node)}</th>`).join('')}</tr></thead><tbody>`,
    ...body,
    `</tbody></table><p>Tables as of ${html(asOf)}.</p></body></html>`,
    '',
  ].join('\n');
}

function html(value: string): string {
  return visible(value)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

function pipe(value: string): string {
  return visible(value).replaceAll('\\', '\\\\').replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
