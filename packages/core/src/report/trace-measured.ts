import type { Finding, Verdict } from '../model/verdict.ts';
import { timeText } from '../trace/findings/detector.ts';
import type { TraceMeasured } from '../trace/model.ts';

/** The part of the fact `trace.finding` that is read here. */
interface Found {
  readonly cause: string;
  readonly kind: string;
  readonly message: string;
  readonly measured: readonly TraceMeasured[];
  readonly saving: { readonly upperBoundNs: number } | null;
}

const signs: Readonly<Record<TraceMeasured['is'], string>> = { '>=': '≥', '<=': '≤', '<': '<', '>': '>' };

/**
 * What a finding about a trace could save at most, and its numbers beside the thresholds they are held to: a line each.
 * Empty for what no trace measured.
 */
export function measuredLines(verdict: Verdict, finding: Finding): readonly string[] {
  const found = foundOf(verdict, finding);
  if (found === null) return [];
  const lines: string[] = [];
  if (found.saving !== null && found.saving.upperBoundNs > 0)
    lines.push(`could save at most ${savingText(found.saving.upperBoundNs, spanOf(verdict))}`);
  if (found.measured.length > 0) lines.push(`measured: ${found.measured.map(measuredText).join('; ')}`);
  return lines;
}

/** What was found in the traces for a finding of a verdict; several of one cause are told apart by their message. */
function foundOf(verdict: Verdict, finding: Finding): Found | null {
  const all = verdict.facts
    .filter(({ id }) => id === 'trace.finding')
    .map(({ value }) => value as Found)
    .filter(({ cause, kind }) => cause === finding.cause && kind === 'waste');
  return all.find(({ message }) => message === finding.message) ?? (all.length === 1 ? all[0]! : null);
}

/** The span that all GPUs of a job share, in ns; null where they differ or none is known. */
function spanOf(verdict: Verdict): number | null {
  const spans = verdict.facts.flatMap(({ id, value }) =>
    id.startsWith('trace.') && id.endsWith('gpu.span_ns') && typeof value === 'number' ? [value] : [],
  );
  if (spans.length === 0) return null;
  const longest = spans.reduce((most, each) => Math.max(most, each), 0);
  return spans.every((span) => span >= 0.95 * longest) ? longest : null;
}

function savingText(saving: number, span: number | null): string {
  if (span === null || span <= 0 || saving > span) return timeText(saving);
  return `${timeText(saving)} of ${timeText(span)} (${numberText((100 * saving) / span, null)} %)`;
}

function measuredText({ name, value, is, threshold, unit }: TraceMeasured): string {
  const of = unit === '' || name.includes(unit) ? '' : ` ${unit}`;
  const scale = unit.startsWith('%') ? ' %' : /^(?:[KMG]i?B|GB\/s|Hz|[nµm]?s)$/.test(unit) ? ` ${unit}` : '';
  return `${name} ${numberText(value, threshold)}${of} (held to ${signs[is]} ${threshold.toLocaleString('en')}${scale})`;
}

/** A number in short, but never rounded onto the threshold that it does not equal. */
function numberText(value: number, threshold: number | null): string {
  const digits = Math.abs(value) >= 10 ? 0 : Math.abs(value) >= 1 ? 1 : 2;
  const short = Number(value.toFixed(digits));
  return (short === threshold ? value : short).toLocaleString('en');
}
