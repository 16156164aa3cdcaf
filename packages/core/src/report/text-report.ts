import { factWords } from '../explain/facts.rows.ts';
import { fits } from '../knowledge/explained-by.ts';
import type { Evidence } from '../model/document.ts';
import type { Finding, Verdict } from '../model/verdict.ts';
import type { ReportOptions } from './verdict-report.ts';
import { clearedTogether } from './cleared.ts';
import { ledTo } from './led-to.ts';
import type { Lookup } from './lookup.ts';
import type { Paint } from './paint.ts';
import { paintOf } from './paint.ts';
import { walkOf } from './pod-links.ts';
import { isShellCommand } from './shell-command.ts';
import { measuredLines } from './trace-measured.ts';
import { cut, visible, wrap } from './visible.ts';
import { actorWords, certaintyWords, layerWords, othersTitle, placeWords, statusWords } from './words.ts';

const mostEvidence = 6;
const mostOthers = 5;
const mostCleared = 6;
/** Where there is no terminal: prose is wrapped, and the user's own lines are cut only where they are very long. */
const plainWidth = 120;
const plainQuote = 240;

/** A verdict for a terminal: the answer, the user's own lines, the rule, the fix in order, then the rest in short. */
export function textReport(verdict: Verdict, lookup: Lookup, options: ReportOptions): string {
  const paint = paintOf(options.color);
  const width = Math.max(40, options.columns ?? plainWidth);
  const quote = Math.max(40, options.columns ?? plainQuote);
  const lines: string[] = [headline(verdict, paint)];
  const lead = verdict.findings[0];
  const accused = lead !== undefined && verdict.certainty !== null;
  if (accused) {
    lines.push(...leading(lead, measuredLines(verdict, lead), lookup, paint, width, quote));
    const steps = ledTo(verdict, lead, lookup);
    if (steps.length > 0) lines.push('', paint.strong('Led to'));
    for (const step of steps)
      lines.push(...indent(wrap(step.startsWith('…') ? step : `→ ${visible(step)}`, width - 4), 2));
  }
  lines.push(...walked(verdict, paint, width, quote));
  const others = accused ? verdict.findings.slice(1) : verdict.findings;
  if (!accused && others.length > 0) lines.push('', ...quoted(placesOf(others), lookup, paint, quote));
  if (others.length > 0) {
    lines.push('', paint.strong(othersTitle(verdict)));
    for (const finding of others.slice(0, mostOthers))
      lines.push(...other(finding, measuredLines(verdict, finding), lead, accused, lookup, paint, width, quote));
    if (others.length > mostOthers) lines.push(paint.dim(`  … and ${others.length - mostOthers} more (--format json)`));
  }
  if (verdict.cleared.length > 0) {
    const cleared = clearedTogether(verdict.cleared);
    lines.push('', paint.strong('Cleared'));
    for (const each of cleared.slice(0, mostCleared)) {
      const [seen] = each.evidence;
      const place = seen === undefined ? '' : paint.dim(`  ${placeWords(seen)}`);
      lines.push(`  ${each.layers}: ${visible(each.because)}${place}`);
    }
    if (cleared.length > mostCleared) lines.push(paint.dim(`  … and ${cleared.length - mostCleared} more`));
  }
  if (verdict.unknown.length > 0) {
    lines.push('', paint.strong(accused || verdict.status === 'ok' ? 'Not known' : 'What would decide'));
    for (const each of verdict.unknown.slice(0, 4)) {
      const layer = each.layer === null ? '' : `${layerWords[each.layer]}: `;
      lines.push(...indent(wrap(`${layer}${visible(each.missing.map(missingWords).join(', '))}`, width - 2), 2));
      lines.push(`    ${isCommand(each.ask) ? '$ ' : ''}${visible(each.ask)}`);
    }
  }
  if (options.left.length > 0) {
    lines.push('', paint.strong('Left out'));
    for (const each of options.left.slice(0, 8)) lines.push(...indent(wrap(visible(each), width - 2), 2));
  }
  lines.push('', paint.dim(`Tables as of ${verdict.knowledge.asOf}, ${verdict.knowledge.digest.slice(0, 19)}`));
  return `${lines.join('\n')}\n`;
}

/** The way from a pod to its GPU, link by link. */
function walked(verdict: Verdict, paint: Paint, width: number, quote: number): readonly string[] {
  const walk = walkOf(verdict);
  if (walk === null) return [];
  const names = Math.max(...walk.links.map((each) => each.name.length));
  const lines = ['', paint.strong(visible(walk.title))];
  for (const { name, sign, message, quoted } of walk.links) {
    const [first = '', ...rest] = wrap(visible(message), width - names - 6);
    lines.push(`  ${sign} ${name.padEnd(names)}  ${first}`, ...indent(rest, names + 6));
    for (const each of quoted)
      lines.push(`      ${paint.dim('|')} ${cut(visible(each), quote - 8, { start: 0, length: 0 })}`);
  }
  if (walk.rest !== null) lines.push(...indent(wrap(walk.rest, width - 4), 4));
  return lines;
}

/** A fact in words: those of the table of facts, without what stands in brackets. */
export function missingWords(missing: string): string {
  const text = factWords.find((each) => each.id === missing)?.text;
  if (text === undefined && missing.startsWith('said.'))
    return `the message "${missing.slice(5).replaceAll('-', ' ')}"`;
  if (text === undefined) return missing;
  const [sentence = ''] = text.replace(/ \([^)]{1,200}\)/g, '').split(/[.:;](?: |$)/);
  return /^[A-Z][a-z]/.test(sentence) ? sentence.charAt(0).toLowerCase() + sentence.slice(1) : sentence;
}

/** What a person is asked to do is no command. */
export function isCommand(ask: string): boolean {
  return !/^(?:run|look|compare|check|see|read|start|repeat|try|measure|tell|watch|count|ask|let|give|move|swap) (?:the|a|an|at|for|it|on|whether|which|what|with|again|how|up|in|one|each|both)\b/i.test(
    ask,
  );
}

function headline(verdict: Verdict, paint: Paint): string {
  const words = statusWords(verdict);
  const text = visible(verdict.headline);
  if (words === null) return paint.doubt(text);
  const tone = verdict.status === 'ok' ? paint.good : verdict.status === 'performance' ? paint.doubt : paint.bad;
  return `${tone(words)}: ${paint.strong(text)}`;
}

function leading(
  finding: Finding,
  measured: readonly string[],
  lookup: Lookup,
  paint: Paint,
  width: number,
  quote: number,
): readonly string[] {
  const lines = [paint.dim(`  ${finding.rule}, ${finding.certainty}: ${certaintyWords[finding.certainty]}`)];
  for (const each of measured) lines.push(...indent(wrap(visible(each), width - 4), 2));
  lines.push('', ...quoted(finding.evidence, lookup, paint, quote));
  const sentence = lookup.sentence(finding);
  if (sentence !== null) lines.push('', ...indent(wrap(`The rule: ${sentence}`, width - 2), 2));
  for (const source of lookup.sources(finding)) {
    lines.push(`    ${paint.link(visible(source.url))}${source.title === '' ? '' : paint.dim(` (${source.title})`)}`);
  }
  if (finding.remedies.length > 0) {
    lines.push('', paint.strong('The fix, in this order'));
    finding.remedies.forEach((remedy, at) => {
      const [first = '', ...rest] = wrap(`${actorWords[remedy.actor]}: ${visible(remedy.do)}`, width - 5);
      lines.push(`  ${at + 1}. ${first}`, ...indent(rest, 5));
      if (remedy.command !== undefined)
        lines.push(`       ${isShellCommand(remedy.command) ? '$ ' : ''}${visible(remedy.command)}`);
    });
  }
  return lines;
}

/** The user's own lines, by file, with their numbers. */
function quoted(evidence: readonly Evidence[], lookup: Lookup, paint: Paint, width: number): readonly string[] {
  const files = evidence.map((each) => each.file);
  const shown = evidence
    .slice(0, mostEvidence)
    .sort((a, b) => files.indexOf(a.file) - files.indexOf(b.file) || a.line - b.line || a.column - b.column);
  const digits = Math.max(...shown.map((each) => String(each.line).length), 1);
  const lines: string[] = [];
  let file: string | null | undefined;
  for (const each of shown) {
    if (each.file !== file || lines.length === 0) {
      file = each.file;
      lines.push(
        `  ${' '.repeat(digits)} ${paint.dim(`--> ${visible(placeWords(each))}${each.source === 'text' || each.source === 'message' ? '' : ` (${each.source})`}`)}`,
      );
    }
    const text = cut(visible(each.text), width - digits - 6, lookup.messageIn(each));
    lines.push(`  ${paint.dim(`${String(each.line).padStart(digits)} |`)} ${text}`);
  }
  if (evidence.length > mostEvidence) lines.push(paint.dim(`  … and ${evidence.length - mostEvidence} more lines`));
  return lines;
}

function other(
  finding: Finding,
  measured: readonly string[],
  lead: Finding | undefined,
  accused: boolean,
  lookup: Lookup,
  paint: Paint,
  width: number,
  quote: number,
): readonly string[] {
  const follows = accused && lead !== undefined && lead.explains.some((pattern) => fits(pattern, finding.rule));
  const [first = '', ...rest] = wrap(
    `${finding.certainty}, ${layerWords[finding.layer]}: ${visible(finding.message)}${follows ? ' (a consequence of the above)' : ''}`,
    width - 4,
  );
  const lines = [`  - ${first}`, ...indent(rest, 4), paint.dim(`    ${finding.rule}`)];
  for (const each of measured) lines.push(...indent(wrap(visible(each), width - 4), 4));
  const [seen] = finding.evidence;
  if (accused && seen !== undefined && lead?.evidence.some((each) => samePlace(each, seen)) === false) {
    const place = visible(placeWords(seen));
    lines.push(
      `    ${paint.dim(`${place}:`)} ${cut(visible(seen.text), Math.max(20, quote - place.length - 6), lookup.messageIn(seen))}`,
    );
  }
  return lines;
}

/** The lines that several findings rest on, each once. */
function placesOf(findings: readonly Finding[]): readonly Evidence[] {
  const places: Evidence[] = [];
  for (const seen of findings.flatMap((each) => each.evidence)) {
    if (!places.some((each) => samePlace(each, seen))) places.push(seen);
  }
  return places;
}

function samePlace(a: Evidence, b: Evidence): boolean {
  return a.file === b.file && a.line === b.line && a.column === b.column && a.source === b.source;
}

function indent(lines: readonly string[], by: number): readonly string[] {
  return lines.map((line) => ' '.repeat(by) + line);
}
