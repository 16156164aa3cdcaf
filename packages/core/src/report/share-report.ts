import type { Evidence } from '../model/document.ts';
import type { Finding, Verdict } from '../model/verdict.ts';
import { fenced } from './fence.ts';
import type { Lookup } from './lookup.ts';
import { prose } from './markdown-report.ts';
import type { MaskKind } from './redact-span.ts';
import { maskedWords } from './redact-words.ts';
import type { ReportOptions } from './verdict-report.ts';
import { cut, visible } from './visible.ts';
import { actorWords, headlineOf, layerWords, placeWords } from './words.ts';
import { isShellCommand } from './shell-command.ts';

/** A comment of an issue tracker takes 65,536 characters; what is more would be cut by it, perhaps in a code block. */
export const mostShared: number = 60 * 1024;

/** Facts that say which release of what there is. */
const versionFacts: readonly (readonly [id: string, name: string])[] = [
  ['driver.version', 'driver'],
  ['driver.module', 'kernel module'],
  ['driver.library', 'driver library'],
  ['driver.cuda', 'CUDA of the driver'],
  ['driver.flavour', 'module flavour'],
  ['gpu.name', 'GPU'],
  ['gpu.compute-capability', 'compute capability'],
  ['os.name', 'system'],
  ['os.kernel', 'kernel'],
  ['os.glibc', 'glibc'],
  ['toolkit.nvcc', 'nvcc'],
  ['toolkit.runtime', 'CUDA runtime'],
  ['toolkit.installed', 'toolkit'],
  ['torch.version', 'torch'],
  ['torch.cuda', 'CUDA of torch'],
  ['framework.version', 'framework'],
  ['cudnn.loaded', 'cuDNN'],
  ['cudnn.built-for', 'cuDNN built for'],
  ['nccl.version', 'NCCL'],
  ['container.toolkit-version', 'container toolkit'],
  ['image.reference', 'image'],
  ['package', 'package'],
];

/**
 * A verdict as a block of Markdown to paste into an issue: verdict, evidence, fix, cleared, next command, versions, and
 * what was masked. At most 60 KB. Text of the input stands in code blocks that it cannot end, or is escaped.
 * @param masked what a redactor replaced; null where none was used
 */
export function shareReport(
  verdict: Verdict,
  lookup: Lookup,
  options: ReportOptions,
  masked: readonly { readonly kind: MaskKind; readonly count: number }[] | null,
): string {
  // Less and less of the lists, until it fits.
  for (const [evidence, width, items] of [
    [12, 1000, 16],
    [8, 400, 10],
    [4, 200, 6],
    [2, 120, 3],
  ] as const) {
    const text = made(verdict, lookup, options, masked, evidence, width, items);
    if (bytesOf(text) <= mostShared) return text;
  }
  return made(verdict, lookup, options, masked, 1, 80, 1, 300);
}

function made(
  verdict: Verdict,
  lookup: Lookup,
  options: ReportOptions,
  masked: readonly { readonly kind: MaskKind; readonly count: number }[] | null,
  mostEvidence: number,
  width: number,
  items: number,
  longest: number = 2000,
): string {
  const said = (text: string): string => prose(text.length > longest ? `${text.slice(0, longest)}…` : text);
  const lead = verdict.findings[0];
  const accused = lead !== undefined && verdict.certainty !== null;
  const parts: string[] = [`**${said(headlineOf(verdict))}**`];
  if (lead !== undefined) {
    parts.push(accused ? `\`${lead.rule}\`, ${lead.certainty}` : `perhaps \`${lead.rule}\``);
    if (lead.evidence.length > 0) parts.push(evidenceOf(lead.evidence, lookup, mostEvidence, width));
  }
  if (accused && lead.remedies.length > 0) parts.push('**Fix**', remediesOf(lead, said, items));
  const others = verdict.findings.slice(1, 1 + items);
  if (others.length > 0) {
    parts.push(
      accused ? '**Also found**' : '**Or**',
      others
        .map((each) => `- ${each.certainty}, ${layerWords[each.layer]}: ${said(each.message)} (\`${each.rule}\`)`)
        .join('\n'),
    );
  }
  if (verdict.cleared.length > 0) {
    const cleared = verdict.cleared.slice(0, items).map((each) => `- ${layerWords[each.layer]}: ${said(each.because)}`);
    parts.push('**Cleared**', cleared.join('\n'));
  }
  const next = verdict.unknown.slice(0, Math.min(items, 4));
  if (next.length > 0) {
    parts.push(
      next.length === 1 ? '**Next command**' : '**Next commands**',
      fenced(next.map((each) => oneLine(each.ask, 600)).join('\n'), 'sh'),
    );
  }
  const versions = versionsOf(verdict, items * 2);
  if (versions.length > 0) parts.push('**Versions**', fenced(versions.join('\n'), 'text'));
  if (options.left.length > 0)
    parts.push(
      '**Left out**',
      options.left
        .slice(0, Math.min(items, 4))
        .map((each) => `- ${said(each)}`)
        .join('\n'),
    );
  const words = masked === null ? 'nothing was masked' : (maskedWords(masked) ?? 'nothing had to be');
  parts.push(
    `<sub>culprit ${options.version}, tables as of ${verdict.knowledge.asOf}, ${verdict.knowledge.digest.slice(0, 19)} · masked: ${words}</sub>`,
  );
  return `${parts.join('\n\n')}\n`;
}

function evidenceOf(evidence: readonly Evidence[], lookup: Lookup, most: number, width: number): string {
  const lines = evidence
    .slice(0, most)
    .map((each) => `${oneLine(placeWords(each), 200)}: ${cut(visible(each.text), width, lookup.messageIn(each))}`);
  return fenced(lines.join('\n'), 'text');
}

function remediesOf(finding: Finding, said: (text: string) => string, items: number): string {
  return finding.remedies
    .slice(0, items)
    .map((each, at) => {
      const command =
        each.command === undefined
          ? ''
          : `\n\n${fenced(oneLine(each.command, 600), isShellCommand(each.command) ? 'sh' : '').replaceAll(/^/gm, '   ')}`;
      return `${at + 1}. ${actorWords[each.actor]}: ${said(each.do)}${command}`;
    })
    .join('\n');
}

/** What the input says of releases, each once. */
function versionsOf(verdict: Verdict, most: number): readonly string[] {
  const lines = new Set<string>();
  for (const [id, name] of versionFacts) {
    for (const fact of verdict.facts) {
      if (fact.id !== id) continue;
      const value = fact.value as { readonly name?: unknown; readonly version?: unknown } | string | null;
      if (typeof value === 'string') lines.add(`${name}: ${oneLine(value, 120)}`);
      else if (typeof value === 'object' && typeof value?.name === 'string' && typeof value.version === 'string')
        lines.add(`${oneLine(value.name, 60)}: ${oneLine(value.version, 60)}`);
    }
  }
  return [...lines].slice(0, most);
}

function oneLine(text: string, most: number): string {
  const shown = visible(text.replaceAll(/[\r\n]+/g, ' '));
  return shown.length > most ? `${shown.slice(0, most)}…` : shown;
}

/** Bytes of UTF-8. */
function bytesOf(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code >= 0xd800 && code < 0xe000 ? 2 : 3;
  }
  return bytes;
}
