import type { Diff, Separator } from '../compare/diff.ts';
import { expectationWords, outlierWords, separatorWords, sharesWords, sizeWords } from '../compare/headline.ts';
import { byRanks, chanceWords, countWords, countedWords, groupWords, proofWords, togetherWords } from './diff-words.ts';
import { kindWords } from './diff-text.ts';
import type { DiffOptions } from './diff-text.ts';
import { visible } from './visible.ts';
import { actorWords, layerWords, placeWords } from './words.ts';

/** A comparison as Markdown, for a ticket or a chat. Text of the input is escaped or stands in code. */
export function diffMarkdown(diff: Diff, options: DiffOptions): string {
  const parts: string[] = [`**${prose(diff.headline)}**`];
  if (diff.groups.length > 1)
    parts.push(
      groupWords(diff)
        .map((each) => `- ${prose(each)}`)
        .join('\n'),
    );
  if (diff.corruption.length > 0) {
    parts.push(
      '### Wrong results',
      diff.corruption
        .map(
          (each) =>
            `- ${prose(`${each.subject}: ${each.wrong} wrong${each.bytes === null ? '' : ` at ${sizeWords(each.bytes)}`}`)}`,
        )
        .join('\n'),
    );
  }
  for (const cause of diff.causes.filter((each) => each.separates)) {
    parts.push(
      '### The common cause',
      `${prose(sharesWords(cause.shares, diff.groups, cause.group))}: ${prose(cause.message)} (\`${cause.rule}\`; ${prose(chanceWords(cause, diff))})`,
    );
    if (cause.remedies.length > 0)
      parts.push(
        cause.remedies
          .map(
            (each, at) =>
              `${at + 1}. **${actorWords[each.actor]}**: ${prose(each.do)}${each.command === undefined ? '' : ` ${code(each.command)}`}`,
          )
          .join('\n'),
      );
  }
  if (diff.separators.length > 0)
    parts.push('### What separates them', ...diff.separators.map((each) => separatorPart(each, diff)));
  if (diff.outliers.length > 1) {
    const size = diff.groups.reduce((sum, group) => sum + group.subjects.length, 0);
    parts.push(
      '### Others that differ from the rest',
      diff.outliers
        .slice(1)
        .map((each) => `- ${prose(outlierWords(each, size))}`)
        .join('\n'),
    );
  }
  if (diff.nearest.length > 0)
    parts.push('### What separates most of them', ...diff.nearest.map((each) => separatorPart(each, diff)));
  if (diff.lines.length > 0)
    parts.push(
      '### The first line of NCCL that the other never prints',
      diff.lines.map((each) => `- ${prose(diff.groups[each.group]!.label)}: ${code(each.evidence.text)}`).join('\n'),
    );
  if (diff.bandwidth.length > 0) {
    const [a, b] = diff.groups.map((group) => prose(group.label));
    parts.push(
      '### Bus bandwidth of nccl-tests, GB/s',
      [
        `| size | test | ${a ?? ''} | ${b ?? ''} | lower / higher |`,
        '|---|---|---|---|---|',
        ...diff.bandwidth.map(
          (gap) =>
            `| ${sizeWords(gap.bytes)} | ${prose(gap.collective ?? 'unnamed test')} ${gap.place} | ${gap.first} | ${gap.second} | ${Math.round(gap.ratio * 100)} %${gap.apart ? ' **apart**' : ''} |`,
        ),
      ].join('\n'),
    );
  }
  if (diff.expectations.length > 0)
    parts.push(
      '### Against what the platform should reach',
      diff.expectations
        .map(
          (each) =>
            `- ${each.below ? '**below**' : 'fine'}: ${prose(`${each.subject}: ${expectationWords(each)} (${kindWords(each)})`)}`,
        )
        .join('\n'),
    );
  if (diff.equal.length > 0)
    parts.push(
      '### The same in all',
      diff.equal
        .slice(0, 40)
        .map(
          (each) => `- ${layerWords[each.layer]}: ${prose(`${each.fact} ${each.value}`)} (${each.known} of ${each.of})`,
        )
        .join('\n'),
    );
  if (options.left.length > 0) parts.push('### Left out', options.left.map((each) => `- ${prose(each)}`).join('\n'));
  parts.push(`<sub>culprit, tables as of ${diff.knowledge.asOf}, ${diff.knowledge.digest.slice(0, 19)}</sub>`);
  return `${parts.join('\n\n')}\n`;
}

function separatorPart(separator: Separator, diff: Diff): string {
  const [lead] = separator.statements;
  const words =
    separator.how === 'one' && lead !== undefined
      ? countedWords(lead, separator, diff)
      : `${countWords(separator, diff)}: ${separatorWords(separator)}`;
  const lines = [`- ${prose(words)} (${prose(chanceWords(separator, diff))}; ${prose(proofWords(separator))})`];
  for (const each of separator.statements.flatMap((one) => one.evidence).slice(0, 2))
    lines.push(`  - ${prose(placeWords(each))}: ${code(each.text)}`);
  for (const change of separator.changes)
    lines.push(
      `  - dated: ${prose(change.what)}, ${prose(change.first)}${change.first === change.last ? '' : ` to ${prose(change.last)}`}`,
    );
  for (const each of byRanks(separator.with).slice(0, 20))
    lines.push(`  - with it: ${prose(togetherWords(each, diff))}`);
  return lines.join('\n');
}

/** A line of the input in code; its backticks are no markup. */
function code(text: string): string {
  return `\`${visible(text.trim()).replaceAll('`', "'").slice(0, 300)}\``;
}

function prose(text: string): string {
  return visible(text)
    .replaceAll(/[\\`*_[\]<>|~]/g, (each) => `\\${each}`)
    .replaceAll(/(^|[^\w])@(?=\w)/g, '$1@\u200b');
}
