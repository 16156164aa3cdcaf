import type { Finding, Verdict } from '../model/verdict.ts';
import { clearedTogether } from './cleared.ts';
import { fenced } from './fence.ts';
import type { Lookup } from './lookup.ts';
import { walkOf } from './pod-links.ts';
import { isShellCommand } from './shell-command.ts';
import { measuredLines } from './trace-measured.ts';
import type { ReportOptions } from './verdict-report.ts';
import { visible } from './visible.ts';
import { actorWords, headlineOf, layerWords, othersTitle, placeWords } from './words.ts';

/** A verdict as Markdown, for an issue, a ticket or a chat. Text of the input stands in code blocks only or is escaped. */
export function markdownReport(verdict: Verdict, lookup: Lookup, options: ReportOptions): string {
  const lead = verdict.findings[0];
  const accused = lead !== undefined && verdict.certainty !== null;
  const parts: string[] = [`**${prose(headlineOf(verdict))}**`];
  if (accused) parts.push(...leading(lead, measuredLines(verdict, lead), lookup));
  const walk = walkOf(verdict);
  if (walk !== null) {
    const rows = walk.links.map(({ name, sign, message }) => `- ${sign} ${name}: ${prose(message)}`);
    const quoted = walk.links.flatMap((each) => each.quoted.map(visible));
    parts.push(`### ${prose(walk.title)}`, rows.join('\n'));
    if (quoted.length > 0) parts.push(fenced(quoted.join('\n'), 'text'));
    if (walk.rest !== null) parts.push(`It ${walk.rest}`);
  }
  const others = accused ? verdict.findings.slice(1) : verdict.findings;
  if (others.length > 0) {
    parts.push(`### ${othersTitle(verdict)}`);
    parts.push(
      others
        .map(
          (each) =>
            `- ${each.certainty}, ${layerWords[each.layer]}: ${prose(each.message)} (\`${each.rule}\`)${measuredLines(
              verdict,
              each,
            )
              .map((line) => `\n  - ${prose(line)}`)
              .join('')}`,
        )
        .join('\n'),
    );
    if (!accused && lead !== undefined && lead.evidence.length > 0) parts.push(evidenceOf(lead));
  }
  if (verdict.cleared.length > 0) {
    parts.push(
      '### Cleared',
      clearedTogether(verdict.cleared)
        .map((each) => `- ${each.layers}: ${prose(each.because)}`)
        .join('\n'),
    );
  }
  if (verdict.unknown.length > 0) {
    parts.push(
      accused ? '### Not known' : '### What would decide',
      ...verdict.unknown.map(
        (each) =>
          `${each.layer === null ? '' : `${layerWords[each.layer]}: `}${prose(each.missing.join(', '))}\n\n${fenced(each.ask, 'sh')}`,
      ),
    );
  }
  if (options.left.length > 0) parts.push('### Left out', options.left.map((each) => `- ${prose(each)}`).join('\n'));
  parts.push(`<sub>culprit, tables as of ${verdict.knowledge.asOf}, ${verdict.knowledge.digest.slice(0, 19)}</sub>`);
  return `${parts.join('\n\n')}\n`;
}

function leading(finding: Finding, measured: readonly string[], lookup: Lookup): readonly string[] {
  const parts = [`\`${finding.rule}\`, ${finding.certainty}`];
  if (measured.length > 0) parts.push(measured.map((each) => `- ${prose(each)}`).join('\n'));
  parts.push(evidenceOf(finding));
  const sentence = lookup.sentence(finding);
  const sources = lookup
    .sources(finding)
    .map((each) => `[${prose(each.title === '' ? each.url : each.title)}](${each.url})`);
  if (sentence !== null)
    parts.push(`The rule: ${prose(sentence)}${sources.length === 0 ? '' : ` (${sources.join(', ')})`}`);
  if (finding.remedies.length > 0) {
    parts.push('### The fix, in this order');
    parts.push(
      finding.remedies
        .map((each, at) => {
          const command =
            each.command === undefined
              ? ''
              : `\n\n${fenced(each.command, isShellCommand(each.command) ? 'sh' : '').replaceAll(/^/gm, '   ')}`;
          return `${at + 1}. **${actorWords[each.actor]}**: ${prose(each.do)}${command}`;
        })
        .join('\n'),
    );
  }
  return parts;
}

function evidenceOf(finding: Finding): string {
  return fenced(
    finding.evidence.map((each) => `${visible(placeWords(each))}: ${visible(each.text)}`).join('\n'),
    'text',
  );
}

/** Text of the input outside a code block: nothing of it is markup, a mention or a link. */
export function prose(text: string): string {
  return visible(text)
    .replaceAll(/[\\`*_[\]<>|~]/g, (each) => `\\${each}`)
    .replaceAll(/(^|[^\w])@(?=\w)/g, '$1@\u200b');
}
