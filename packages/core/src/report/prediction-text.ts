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
import type { Paint } from './paint.ts';
import { paintOf } from './paint.ts';
import { visible, wrap } from './visible.ts';

export interface ImageTextOptions {
  readonly color: boolean;
  readonly columns: number | null;
}

const mostTerms = 8;

/**
 * An image on its nodes for a terminal: one line that stands for all where there are several, then for each node the
 * answer with its reason, then what it rests on. Null without nodes.
 */
export function predictionsText(report: ImageReport, options: ImageTextOptions): string | null {
  if (report.predictions.length === 0) return null;
  const paint = paintOf(options.color);
  const width = Math.max(60, options.columns ?? 120);
  const lines: string[] = [];
  if (report.predictions.length > 1) lines.push(paint.strong(pairsHeadline([report])), '');
  // CSV mode is that of Tegra boards; elsewhere it is no way in which a node that does not say its mode may start.
  const csv = report.platform.includes('arm64');
  for (const one of report.predictions) {
    const pair = `${report.reference} on ${nodeWords(one)}: ${reasonWords(one)}`;
    lines.push(`${painted(one, paint)}: ${visible(pair)}`);
    lines.push(...details(one, width, paint, csv), '');
  }
  return `${lines.join('\n').trimEnd()}\n`;
}

function painted(one: Prediction, paint: Paint): string {
  const words = answerWords[one.answer];
  return one.answer === 'runs'
    ? paint.good(words)
    : one.answer === 'does-not-run'
      ? paint.bad(words)
      : paint.doubt(words);
}

function details(one: Prediction, width: number, paint: Paint, csv: boolean): readonly string[] {
  const rows: [string, string][] = [];
  const folder = one.injects?.folder == null ? '' : `, driver libraries in ${one.injects.folder}`;
  rows.push(['start', `${modeWords(one)}${folder}${one.starts === false ? ', the container does not start' : ''}`]);
  const { terms } = one.requirement;
  if (terms.length > 0) {
    const shown = terms
      .slice(0, mostTerms)
      .map(
        (term) =>
          `${term.term} ${term.holds === null ? '?' : term.holds ? 'yes' : 'no'}${term.inCsv === undefined || one.mode !== null || !csv ? '' : ` (in csv mode ${term.inCsv === null ? 'passed over' : term.inCsv ? 'yes' : 'no'})`}`,
      );
    const more = terms.length > mostTerms ? `, … ${terms.length - mostTerms} more` : '';
    rows.push(['requirement', `${requirementWords(one)}: ${shown.join(', ')}${more}`]);
  }
  if (one.starts !== false || one.libcuda.kind !== null)
    rows.push(['libcuda', `${libcudaWords(one)}${one.libcuda.path === null ? '' : ` (${one.libcuda.path})`}`]);
  if (one.rule !== null) rows.push(['rule', one.rule]);
  if (one.needs !== null) rows.push(['needs', one.needs]);
  if (one.unknown.length > 0) rows.push(['not known', one.unknown.join('; ')]);
  return rows.flatMap(([name, text]) => {
    const [first = '', ...rest] = wrap(visible(text), width - 16);
    return [paint.dim(`  ${name.padEnd(12)}`) + `  ${first}`, ...rest.map((line) => `${' '.repeat(16)}${line}`)];
  });
}
