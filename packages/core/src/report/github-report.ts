import type { Finding, Verdict } from '../model/verdict.ts';
import { visible } from './visible.ts';
import { actorWords, headlineOf } from './words.ts';

/** A verdict as workflow commands of GitHub Actions: annotations at the lines that prove it. */
export function githubReport(verdict: Verdict): string {
  const lines: string[] = [];
  const accused = verdict.certainty !== null;
  if (verdict.findings.length === 0 || !accused) {
    lines.push(command(verdict.status === 'ok' ? 'notice' : 'warning', { title: 'culprit' }, headlineOf(verdict)));
  }
  verdict.findings.forEach((finding, at) => {
    const level =
      finding.certainty === 'possible' ? 'notice' : verdict.status === 'performance' && at === 0 ? 'warning' : 'error';
    lines.push(annotation(finding, level, at === 0 && accused ? headlineOf(verdict) : finding.message));
  });
  return `${lines.join('\n')}\n`;
}

function annotation(finding: Finding, level: 'error' | 'warning' | 'notice', message: string): string {
  const [seen] = finding.evidence;
  const steps = finding.remedies.map((each, at) => `${at + 1}. ${actorWords[each.actor]}: ${each.do}`);
  const quoted = seen === undefined ? [] : [`> ${visible(seen.text).slice(0, 500)}`];
  return command(
    level,
    {
      ...(seen?.file == null || seen.file === '-'
        ? {}
        : { file: seen.file, line: String(seen.line), col: String(seen.column) }),
      title: `culprit ${finding.rule}, ${finding.certainty}`,
    },
    [message, ...quoted, ...steps].join('\n'),
  );
}

/** https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions */
export function command(name: string, properties: Readonly<Record<string, string>>, message: string): string {
  const list = Object.entries(properties).map(
    ([key, value]) => `${key}=${escaped(value).replaceAll(':', '%3A').replaceAll(',', '%2C')}`,
  );
  return `::${name} ${list.join(',')}::${escaped(message)}`;
}

function escaped(text: string): string {
  return text
    .split('\n')
    .map(visible)
    .join('\n')
    .replaceAll('%', '%25')
    .replaceAll('\r', '%0D')
    .replaceAll('\n', '%0A');
}
