import type { Citation } from '../knowledge/row.types.ts';
import type { Clause, Judgement } from './judgement.ts';

const words: Readonly<Record<string, string>> = {
  runs: 'runs',
  'runs-if': 'runs, on a condition',
  'does-not-run': 'does not run',
  'cannot-tell': 'cannot tell',
  true: 'true',
  false: 'false',
  depends: 'it depends',
};

/** A judgement for the terminal: the answer first, then every clause with its truth and source, then the way out. */
export function judgementText(
  judgement: Judgement,
  citations: readonly Citation[],
  unread: readonly string[] = [],
): string {
  const name = judgement.id === undefined ? '' : `${judgement.id}: `;
  const lines = [
    `${name}${words[judgement.answer] ?? judgement.answer} (${judgement.because ?? judgement.rule}): ${judgement.message}`,
    '',
  ];
  for (const clause of judgement.clauses) {
    lines.push(`  ${sign(clause)} ${clause.rule}: ${clause.message}`);
    for (const url of firstUrls(clause.restsOn, citations)) lines.push(`      ${url}`);
  }
  if (judgement.conditions.length > 0)
    lines.push('', 'it runs if there is:', ...judgement.conditions.map((one) => `  ${one}`));
  else if (judgement.needs !== null)
    lines.push(
      '',
      `${judgement.answer === 'does-not-run' ? 'what would make it run' : 'what has to be known'}: ${judgement.needs}`,
    );
  if (judgement.errorSeen !== null)
    lines.push(
      `what the user sees: ${/^\d+$/.test(judgement.errorSeen) ? `CUDA error ${judgement.errorSeen}` : judgement.errorSeen}`,
    );
  if (judgement.unknown.length > 0) lines.push(`not known: ${judgement.unknown.join('; ')}`);
  if (unread.length > 0) lines.push(`not understood: ${unread.join(' ')}`);
  lines.push(`tables as of ${judgement.asOf}`);
  return `${lines.join('\n')}\n`;
}

/** At most two sources, the vendor's own pages first; all of them stand in the JSON. */
function firstUrls(ids: readonly string[], citations: readonly Citation[]): readonly string[] {
  const urls = [...new Set(ids)].map((id) => citations.find((one) => one.id === id)?.url ?? id);
  const own = urls.filter((url) => url.includes('docs.nvidia.com'));
  return [...own, ...urls.filter((url) => !own.includes(url))].slice(0, 2);
}

function sign(clause: Clause): string {
  return clause.holds === null ? '?' : clause.holds ? '✓' : '✗';
}

/** Several judgements as a GitHub table. */
export function judgementsMarkdown(judgements: readonly Judgement[]): string {
  const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
  const rows = judgements.map(
    (one, at) =>
      `| ${cell(one.id ?? String(at + 1))} | ${one.answer} | ${cell(one.because ?? one.rule)} | ${cell(one.message)} | ${cell(one.needs ?? '')} |`,
  );
  const asOf = judgements[0]?.asOf;
  return [
    '| id | answer | rule | why | needs |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    '',
    ...(asOf === undefined ? [] : [`Tables as of ${asOf}.`, '']),
  ].join('\n');
}

/** Several judgements as CSV, RFC 4180. */
export function judgementsCsv(judgements: readonly Judgement[]): string {
  const quote = (text: string): string => {
    const safe = /^[=+\-@\t]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const lines = [['id', 'answer', 'rule', 'because', 'message', 'error_seen', 'needs', 'as_of']];
  judgements.forEach((one, at) =>
    lines.push([
      one.id ?? String(at + 1),
      one.answer,
      one.rule,
      one.because ?? '',
      one.message,
      one.errorSeen ?? '',
      one.needs ?? '',
      one.asOf,
    ]),
  );
  return `${lines.map((line) => line.map(quote).join(',')).join('\r\n')}\r\n`;
}
