// Text format of Prometheus, for the textfile collector of node_exporter: one group of samples a metric, no time stamps.
// https://prometheus.io/docs/instrumenting/exposition_formats/
import type { Decision, Outcome } from '../gate/decision.ts';

export interface MetricsOf {
  readonly decision: Decision;
  readonly version: string;
  readonly knowledge: { readonly asOf: string; readonly digest: string };
  /** Seconds since 1970. */
  readonly at: number;
  /** Seconds that the check took. */
  readonly took: number;
}

const outcomes: readonly Outcome[] = ['ok', 'warn', 'held', 'enforced', 'unknown'];

/** The decision as metrics. */
export function prometheusReport({ decision, version, knowledge, at, took }: MetricsOf): string {
  const findings = decision.items.map(({ finding, action, held }) =>
    sample(
      'culprit_finding',
      {
        rule: finding.rule,
        layer: finding.layer,
        certainty: finding.certainty,
        action: action === 'warn' ? 'warn' : held.length > 0 ? 'held' : 'enforced',
        hold: held[0]?.hold ?? '',
      },
      1,
    ),
  );
  return [
    ...metric('culprit_finding', 'A fault that was found; action says what the policy makes of it.', [
      ...new Set(findings),
    ]),
    ...metric(
      'culprit_check_outcome',
      'Outcome of the last check: 1 for the one that holds.',
      outcomes.map((outcome) => sample('culprit_check_outcome', { outcome }, outcome === decision.outcome ? 1 : 0)),
    ),
    ...metric('culprit_check_complete', 'Whether the probe came to its end in time.', [
      sample('culprit_check_complete', {}, decision.complete ? 1 : 0),
    ]),
    ...metric('culprit_check_timestamp_seconds', 'When the last check was made; alert on its age.', [
      sample('culprit_check_timestamp_seconds', {}, Math.floor(at)),
    ]),
    ...metric('culprit_check_duration_seconds', 'How long the last check took.', [
      sample('culprit_check_duration_seconds', {}, Math.round(took * 1000) / 1000),
    ]),
    ...metric('culprit_build_info', 'Release of culprit and the tables that it judges by.', [
      sample('culprit_build_info', { version, knowledge: knowledge.asOf, digest: knowledge.digest }, 1),
    ]),
    '',
  ].join('\n');
}

function metric(name: string, help: string, samples: readonly string[]): readonly string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, ...samples];
}

function sample(name: string, labels: Readonly<Record<string, string>>, value: number): string {
  const list = Object.entries(labels).map(([key, text]) => `${key}="${escaped(text)}"`);
  return `${name}${list.length === 0 ? '' : `{${list.join(',')}}`} ${value}`;
}

/** In label values a backslash, a quote and a line feed are written with a backslash. */
function escaped(text: string): string {
  return text
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`);
}
