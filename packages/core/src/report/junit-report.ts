import type { Finding, Verdict } from '../model/verdict.ts';
import { visible } from './visible.ts';
import { actorWords, headlineOf, placeWords } from './words.ts';
import { isShellCommand } from './shell-command.ts';

/**
 * A verdict as JUnit XML: a finding that accuses is a failed case, one that is only possible is not; what was cleared
 * passes; a verdict that cannot tell is a skipped case.
 */
export function junitReport(verdict: Verdict): string {
  const failing = verdict.findings.filter((each) => each.certainty !== 'possible' && verdict.certainty !== null);
  const open = verdict.findings.filter((each) => !failing.includes(each));
  const cases = [
    ...failing.map(
      (each) =>
        `${opening(each)}\n      <failure type="${each.certainty}" message="${xml(each.message)}">${xml(body(each))}</failure>\n    </testcase>`,
    ),
    ...open.map(
      (each) =>
        `${opening(each)}\n      <system-out>${xml(`possible: ${each.message}\n${body(each)}`)}</system-out>\n    </testcase>`,
    ),
    ...verdict.cleared.map((each) => `    <testcase classname="culprit.${each.layer}" name="${xml(each.because)}"/>`),
  ];
  const untold = verdict.status === 'cannot-tell';
  if (untold) {
    cases.push(
      `    <testcase classname="culprit" name="verdict">\n      <skipped message="${xml(verdict.headline)}"/>\n    </testcase>`,
    );
  } else if (failing.length === 0) cases.push(`    <testcase classname="culprit" name="${xml(headlineOf(verdict))}"/>`);
  const counts = `tests="${cases.length}" failures="${failing.length}" errors="0" skipped="${untold ? 1 : 0}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="culprit" ${counts}>`,
    `  <testsuite name="${xml(headlineOf(verdict))}" ${counts}>`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function opening(finding: Finding): string {
  return `    <testcase classname="culprit.${finding.layer}" name="${xml(finding.rule)}">`;
}

function body(finding: Finding): string {
  return [
    ...finding.evidence.map((each) => `${placeWords(each)}: ${each.text}`),
    ...finding.remedies.map(
      (each, at) =>
        `${at + 1}. ${actorWords[each.actor]}: ${each.do}${each.command === undefined ? '' : ` (${isShellCommand(each.command) ? '$ ' : ''}${each.command})`}`,
    ),
  ].join('\n');
}

/** XML 1.0: markup escaped, characters that it forbids shown as their code. */
export function xml(text: string): string {
  return text
    .split('\n')
    .map(visible)
    .join('\n')
    .replaceAll(/[\ufffe\uffff]/g, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '&#10;');
}
