import type { Evidence } from '../model/document.ts';
import type { Finding, Verdict } from '../model/verdict.ts';
import type { Lookup } from './lookup.ts';
import type { ReportOptions } from './verdict-report.ts';
import { jsonReport } from './json-report.ts';
import { actorWords, headlineOf } from './words.ts';

/**
 * A verdict as SARIF 2.1.0 (OASIS, "Static Analysis Results Interchange Format"). A finding that accuses is a `fail`;
 * one that is only possible is `review` with level `none`, as section 3.27.10 asks for every kind but `fail`.
 */
export function sarifReport(verdict: Verdict, lookup: Lookup, options: ReportOptions): string {
  const ids = [...new Set(verdict.findings.map((each) => each.rule))];
  return jsonReport({
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'culprit',
            version: options.version,
            semanticVersion: options.version,
            rules: ids.map((id) =>
              ruleOf(
                verdict.findings.find((each) => each.rule === id)!,
                lookup,
              ),
            ),
          },
        },
        columnKind: 'utf16CodeUnits',
        invocations: [
          {
            executionSuccessful: true,
            toolExecutionNotifications: options.left.map((text) => ({ level: 'note', message: { text } })),
          },
        ],
        results: verdict.findings.map((finding, at) =>
          resultOf(
            finding,
            ids.indexOf(finding.rule),
            at === 0 && verdict.certainty !== null ? headlineOf(verdict) : finding.message,
            verdict,
          ),
        ),
        properties: {
          status: verdict.status,
          headline: verdict.headline,
          asOf: verdict.knowledge.asOf,
          digest: verdict.knowledge.digest,
          cleared: verdict.cleared.map((each) => `${each.layer}: ${each.because}`),
          unknown: verdict.unknown.map((each) => `${each.missing.join(', ')}: ${each.ask}`),
        },
      },
    ],
  });
}

function ruleOf(finding: Finding, lookup: Lookup): object {
  const [source] = lookup.sources(finding);
  const text = lookup.sentence(finding) ?? finding.rule;
  return {
    id: finding.rule,
    shortDescription: { text },
    ...(source === undefined ? {} : { helpUri: encodeURI(source.url) }),
    properties: { layer: finding.layer, cause: finding.cause, tags: ['gpu', finding.layer] },
  };
}

function resultOf(finding: Finding, ruleIndex: number, message: string, verdict: Verdict): object {
  const steps = finding.remedies.map((each, at) => `${at + 1}. ${actorWords[each.actor]}: ${each.do}`);
  const possible = finding.certainty === 'possible';
  const [first, ...others] = finding.evidence;
  return {
    ruleId: finding.rule,
    ruleIndex,
    kind: possible ? 'review' : 'fail',
    level: possible ? 'none' : verdict.status === 'performance' ? 'warning' : 'error',
    message: { text: [message, ...steps].join('\n') },
    locations: first === undefined ? [] : [locationOf(first)],
    relatedLocations: others.map((each, id) => ({ id, ...locationOf(each) })),
    partialFingerprints: { 'culpritRule/v1': finding.rule },
    properties: { certainty: finding.certainty, owner: finding.owner, restsOn: finding.restsOn },
  };
}

function locationOf(evidence: Evidence): object {
  return {
    physicalLocation: {
      artifactLocation: { uri: uriOf(evidence.file) },
      region: { startLine: evidence.line, startColumn: evidence.column, snippet: { text: evidence.text } },
    },
  };
}

/** A path as a URI reference (RFC 3986): segments percent-encoded, a drive letter not taken for a scheme. */
export function uriOf(file: string | null): string {
  if (file === null || file === '-') return 'stdin';
  const path = file.replaceAll('\\', '/');
  const encoded = path
    .split('/')
    .map((part) => encodeURIComponent(part))
    .join('/');
  return /^[A-Za-z]:\//.test(path) ? `file:///${encoded.replace('%3A', ':')}` : encoded;
}
