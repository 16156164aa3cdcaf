import type { Citation } from '../knowledge/row.types.ts';
import type { Evidence } from '../model/document.ts';
import type { CommonCause, Diff, Expectation, Separator } from '../compare/diff.ts';
import {
  expectationWords,
  holdsWords,
  isPair,
  outlierWords,
  separatorWords,
  sharesWords,
  sizeWords,
} from '../compare/headline.ts';
import { byRanks, chanceWords, countWords, countedWords, groupWords, proofWords, togetherWords } from './diff-words.ts';
import type { Paint } from './paint.ts';
import { paintOf } from './paint.ts';
import { cut, visible, wrap } from './visible.ts';
import { actorWords, layerWords, placeWords } from './words.ts';
import { isShellCommand } from './shell-command.ts';

export interface DiffOptions {
  readonly color: boolean;
  /** Columns of the terminal; null where there is none. */
  readonly columns: number | null;
  readonly citations: readonly Citation[];
  /** What of the input was not read, in words. */
  readonly left: readonly string[];
}

const plainWidth = 120;
const plainQuote = 240;
const mostWith = 10;
const mostOthers = 8;
const mostGaps = 8;
const mostEqual = 8;

/** A comparison for a terminal: the answer, what separates the groups with their counts, then what is the same. */
export function diffText(diff: Diff, options: DiffOptions): string {
  const paint = paintOf(options.color);
  const width = Math.max(40, options.columns ?? plainWidth);
  const quote = Math.max(40, options.columns ?? plainQuote);
  const headline = visible(diff.headline);
  const lines = [
    diff.answer === 'separated'
      ? paint.strong(headline)
      : diff.answer === 'no-difference'
        ? paint.good(headline)
        : paint.doubt(headline),
  ];
  if (diff.groups.length > 1) lines.push(...groupWords(diff).map((each) => paint.dim(`  ${visible(each)}`)));
  if (diff.byVerdict)
    lines.push(paint.dim('  the groups were made of what diagnose says of each; name them with --against'));
  const say = (text: string, by = 2): void =>
    void lines.push(...wrap(visible(text), width - by).map((line) => ' '.repeat(by) + line));
  const heading = (text: string): void => void lines.push('', paint.strong(text));

  if (diff.corruption.length > 0) {
    heading('Wrong results');
    for (const each of diff.corruption.slice(0, mostOthers)) {
      say(
        `- ${each.subject}: ${each.wrong} wrong${each.bytes === null ? '' : ` at ${sizeWords(each.bytes)}`}${each.collective === null ? '' : ` of ${each.collective}`}: data was changed on its way; do not train on it`,
      );
      lines.push(...quoted(each.evidence.slice(0, 2), paint, quote));
    }
  }
  if (diff.outliers.length === 0 && diff.groups.length === 1 && diff.groups[0]!.subjects.length > 1)
    lines.push(paint.dim(`  ${visible(groupWords(diff)[0]!)}`));
  if (diff.outliers.length > 0)
    lines.push(
      paint.dim('  no groups were named, and diagnose says the same of all: these are who differs from the rest'),
    );
  const causes = diff.causes.filter((each) => each.separates);
  if (causes.length > 0) {
    heading('The common cause');
    for (const each of causes.slice(0, 3)) lines.push(...causeLines(each, diff, options, paint, width, quote));
  }
  if (diff.separators.length > 0) {
    heading(diff.outliers.length > 0 ? 'What is different' : 'What separates them');
    for (const each of diff.separators.slice(0, mostOthers))
      lines.push(...separatorLines(each, diff, paint, width, quote));
    if (diff.separators.length > mostOthers)
      lines.push(paint.dim(`  … and ${diff.separators.length - mostOthers} more (--format json)`));
  }
  if (diff.outliers.length > 1) {
    heading('Others that differ from the rest');
    const size = diff.groups.reduce((sum, group) => sum + group.subjects.length, 0);
    for (const each of diff.outliers.slice(1)) {
      say(`- ${outlierWords(each, size)}`);
      lines.push(...quoted(each.statements.flatMap((one) => one.evidence).slice(0, 2), paint, quote));
    }
  }
  if (diff.nearest.length > 0) {
    heading('What separates most of them');
    for (const each of diff.nearest) lines.push(...separatorLines(each, diff, paint, width, quote));
  }
  if (diff.lines.length > 0) {
    heading('The first line of NCCL that the other never prints');
    for (const each of diff.lines) {
      say(`${diff.groups[each.group]!.label}:`);
      lines.push(...quoted([each.evidence], paint, quote));
    }
  }
  lines.push(...bandwidthLines(diff, paint));
  lines.push(...expectationLines(diff, options, paint, width));
  const some = diff.causes.filter((each) => !each.separates);
  if (some.length > 0) {
    heading('Found in some');
    for (const each of some.slice(0, 5))
      say(`- ${sharesWords(each.shares, diff.groups, each.group)}: ${each.rule}: ${each.message}`);
  }
  if (diff.equal.length > 0) {
    heading('The same in all (cleared as the difference)');
    for (const each of diff.equal.slice(0, mostEqual))
      say(`${layerWords[each.layer]}: ${each.fact} ${each.value} (${each.known} of ${each.of})`);
    if (diff.equal.length > mostEqual) lines.push(paint.dim(`  … and ${diff.equal.length - mostEqual} more`));
  }
  if (diff.oneSided.length > 0 && diff.answer !== 'separated') {
    heading('Read in one group only, so not compared');
    say([...new Set(diff.oneSided.map((each) => each.fact))].slice(0, 12).join(', '));
  }
  if (options.left.length > 0) {
    heading('Left out');
    for (const each of options.left.slice(0, 8)) say(each);
  }
  lines.push('', paint.dim(`Tables as of ${diff.knowledge.asOf}, ${diff.knowledge.digest.slice(0, 19)}`));
  return `${lines.join('\n')}\n`;
}

function causeLines(
  cause: CommonCause,
  diff: Diff,
  options: DiffOptions,
  paint: Paint,
  width: number,
  quote: number,
): readonly string[] {
  const lines: string[] = wrap(
    visible(`${sharesWords(cause.shares, diff.groups, cause.group)}: ${cause.message}`),
    width - 2,
  ).map((line) => `  ${line}`);
  lines.push(paint.dim(`  ${cause.rule}`));
  if (!isPair(diff.groups))
    for (const line of wrap(chanceWords(cause, diff), width - 2)) lines.push(paint.dim(`  ${line}`));
  lines.push(...quoted(cause.evidence.slice(0, 3), paint, quote));
  for (const id of cause.restsOn.slice(0, 2)) {
    const url = options.citations.find((each) => each.id === id)?.url;
    if (url !== undefined) lines.push(`    ${paint.link(url)}`);
  }
  cause.remedies.forEach((remedy, at) => {
    const [first = '', ...rest] = wrap(`${actorWords[remedy.actor]}: ${visible(remedy.do)}`, width - 5);
    lines.push(`  ${at + 1}. ${first}`, ...rest.map((line) => `     ${line}`));
    if (remedy.command !== undefined)
      lines.push(`       ${isShellCommand(remedy.command) ? '$ ' : ''}${visible(remedy.command)}`);
  });
  return lines;
}

function separatorLines(
  separator: Separator,
  diff: Diff,
  paint: Paint,
  width: number,
  quote: number,
): readonly string[] {
  const lines: string[] = [];
  const say = (text: string, by: number): void =>
    void lines.push(...wrap(visible(text), width - by).map((line, at) => ' '.repeat(at === 0 ? by : by + 2) + line));
  const [lead] = separator.statements;
  if (separator.how === 'one' && lead !== undefined) say(`- ${countedWords(lead, separator, diff)}`, 2);
  else {
    say(`- ${countWords(separator, diff)}: ${separatorWords(separator)}`, 2);
    separator.statements.forEach((each, at) => {
      const covers = separator.covers[at];
      say(
        `${sharesWords(each.shares, diff.groups, separator.group)}: ${holdsWords(each)} [${each.fact}]${covers === undefined ? '' : ` (${covers.slice(0, 4).join(', ')}${covers.length > 4 ? ' …' : ''})`}`,
        6,
      );
    });
  }
  if (!isPair(diff.groups) && diff.outliers.length === 0)
    for (const line of wrap(chanceWords(separator, diff), width - 4)) lines.push(paint.dim(`    ${line}`));
  lines.push(paint.dim(`    ${proofWords(separator)}`));
  lines.push(...quoted(separator.statements.flatMap((each) => each.evidence).slice(0, 4), paint, quote));
  for (const change of separator.changes)
    say(
      `dated: ${change.what}, ${change.first === change.last ? change.first : `${change.first} to ${change.last}`} (${sharesWords(change.shares, diff.groups, change.shares[0].with >= change.shares[1].with ? 0 : 1)})`,
      4,
    );
  const together = byRanks(separator.with);
  if (together.length > 0) {
    lines.push('    with it:');
    for (const each of together.slice(0, mostWith)) say(togetherWords(each, diff), 6);
    if (together.length > mostWith) lines.push(paint.dim(`      … and ${together.length - mostWith} more`));
  }
  return lines;
}

function bandwidthLines(diff: Diff, paint: Paint): readonly string[] {
  if (diff.bandwidth.length === 0) return [];
  const [a, b] = diff.groups;
  const apart = diff.bandwidth.filter((gap) => gap.apart);
  const shown = (apart.length > 0 ? apart : diff.bandwidth).slice(-mostGaps);
  const lines = [
    '',
    paint.strong(`Bus bandwidth of nccl-tests, GB/s: ${visible(a!.label)} | ${visible(b?.label ?? '')}`),
  ];
  for (const gap of shown) {
    const name = `${gap.collective ?? 'unnamed test'} ${gap.place}`;
    lines.push(
      `  ${sizeWords(gap.bytes).padStart(10)}  ${gap.first.toFixed(2).padStart(8)} | ${gap.second.toFixed(2).padStart(8)}  ${Math.round(gap.ratio * 100)} %  ${visible(name)}`,
    );
  }
  if (apart.length === 0) lines.push(paint.dim('  no size differs by more than 10 %'));
  return lines;
}

function expectationLines(diff: Diff, options: DiffOptions, paint: Paint, width: number): readonly string[] {
  if (diff.expectations.length === 0) return [];
  const below = diff.expectations.filter((each) => each.below);
  const shown = below.length > 0 ? below : [...diff.expectations].sort((a, b) => b.bytes - a.bytes).slice(0, 3);
  const lines = [
    '',
    paint.strong(below.length > 0 ? 'Below what the platform should reach' : 'As fast as the platform should be'),
  ];
  for (const each of shown.slice(0, mostGaps)) {
    lines.push(
      ...wrap(visible(`- ${each.subject}: ${expectationWords(each)} (${kindWords(each)})`), width - 2).map(
        (line) => `  ${line}`,
      ),
    );
    if (each.note !== null) lines.push(...wrap(visible(each.note), width - 4).map((line) => paint.dim(`    ${line}`)));
    const url = options.citations.find((one) => one.id === each.restsOn[0])?.url;
    if (url !== undefined) lines.push(`    ${paint.link(url)}`);
  }
  if (shown.length > mostGaps) lines.push(paint.dim(`  … and ${shown.length - mostGaps} more`));
  return lines;
}

/** What kind of statement an expectation rests on. */
export function kindWords(each: Expectation): string {
  const by = each.by === 'told' ? '' : ', platform by its GPUs';
  const doubt = each.confirmed ? '' : ', not read in a primary source';
  switch (each.kind) {
    case 'floor':
      return `a health check refuses less than ${each.least}${by}${doubt}`;
    case 'target':
      return `a target; ${each.least} passes${by}${doubt}`;
    case 'measured':
      return `measured on a healthy machine; ${each.least} passes${by}${doubt}`;
    case 'per-adapter':
      return `by its network adapters; ${each.least} passes${by}${doubt}`;
  }
}

function quoted(evidence: readonly Evidence[], paint: Paint, width: number): readonly string[] {
  return evidence.map((each) => {
    const place = visible(placeWords(each));
    return `    ${paint.dim(`${place}:`)} ${cut(visible(each.text.trim()), Math.max(30, width - place.length - 6), { start: 0, length: 0 })}`;
  });
}
