import type { Knowledge } from '../../knowledge/knowledge.ts';
import type { Evidence } from '../../model/document.ts';
import type { Finding, Verdict } from '../../model/verdict.ts';
import { missingWords } from '../text-report.ts';
import type { JointRow, PartId, PartRow } from './parts.rows.ts';
import { stackJoints, stackParts } from './parts.rows.ts';

/** `guilty`: the leading finding is here; `suspect`: another finding is; `cleared`, `unknown`: as the verdict says. */
export type PartState = 'guilty' | 'suspect' | 'cleared' | 'unknown' | 'quiet';

export interface StackVersion {
  readonly words: string;
  readonly value: string;
  /** Where it was seen: `host`, `container`, `image`; null where the text does not tell. */
  readonly origin: string | null;
}

export interface StackPart {
  readonly id: PartId;
  readonly title: string;
  readonly shippedBy: string;
  readonly versions: readonly StackVersion[];
  readonly state: PartState;
  /** Why it is guilty, cleared or unknown. */
  readonly because: string | null;
}

export interface StackJoint {
  readonly below: PartId;
  readonly above: PartId;
  readonly rule: string;
  readonly state: 'guilty' | 'suspect' | 'quiet';
  readonly because: string | null;
}

/** The stack with what a verdict knows of it, from the hardware up. */
export interface Stack {
  readonly parts: readonly StackPart[];
  readonly joints: readonly StackJoint[];
}

const mostVersions = 6;

/** Puts a verdict onto the stack: releases on their parts, the guilty joint marked. */
export function stackOf(verdict: Verdict, knowledge: Knowledge): Stack {
  const accused = verdict.findings.filter((finding) => finding.certainty !== 'possible');
  const joints = stackJoints.map((row) => jointOf(row, verdict, accused, knowledge));
  const struck = (id: PartId, state: StackJoint['state']): StackJoint | undefined =>
    joints.find((joint) => joint.state === state && (joint.above === id || joint.below === id));
  return {
    joints,
    parts: stackParts.map((row) => {
      const { state, because } = stateOf(row, verdict, accused, struck);
      return {
        id: row.id,
        title: row.title,
        shippedBy: row.shippedBy,
        versions: versionsOf(row, verdict),
        state,
        because,
      };
    }),
  };
}

function jointOf(row: JointRow, verdict: Verdict, accused: readonly Finding[], knowledge: Knowledge): StackJoint {
  const classOf = (finding: Finding): string | undefined =>
    knowledge.causes.find((cause) => cause.cause === finding.cause)?.class;
  const found = accused.find((finding) => row.classes.includes(classOf(finding) ?? ''));
  const leads = found !== undefined && found === verdict.findings[0];
  return {
    below: row.below,
    above: row.above,
    rule: row.rule,
    state: found === undefined ? 'quiet' : leads ? 'guilty' : 'suspect',
    because: found?.message ?? null,
  };
}

function stateOf(
  row: PartRow,
  verdict: Verdict,
  accused: readonly Finding[],
  struck: (id: PartId, state: StackJoint['state']) => StackJoint | undefined,
): { readonly state: PartState; readonly because: string | null } {
  const mine = accused.filter((finding) => row.layers.includes(finding.layer));
  // The driver is two parts: which of them is meant shows at the joint.
  const shared = stackParts.filter((other) => other.layers.some((layer) => row.layers.includes(layer))).length > 1;
  const lead = mine.find((finding) => finding === verdict.findings[0]);
  const here = !shared || struck(row.id, 'guilty') !== undefined || !anyJoint(struck);
  if (lead !== undefined && here) return { state: 'guilty', because: lead.message };
  const [other] = mine;
  if (other !== undefined) return { state: 'suspect', because: other.message };
  const cleared = verdict.cleared.find(({ layer }) => row.layers.includes(layer));
  if (cleared !== undefined) return { state: 'cleared', because: cleared.because };
  const unknown = verdict.unknown.find(({ layer }) => layer !== null && row.layers.includes(layer));
  return unknown === undefined
    ? { state: 'quiet', because: null }
    : { state: 'unknown', because: unknown.missing.map(missingWords).join(', ') };
}

function anyJoint(struck: (id: PartId, state: StackJoint['state']) => StackJoint | undefined): boolean {
  return stackParts.some(({ id }) => struck(id, 'guilty') !== undefined);
}

function versionsOf(row: PartRow, verdict: Verdict): readonly StackVersion[] {
  const versions: StackVersion[] = [];
  const seen = new Set<string>();
  for (const [id, words] of row.facts)
    for (const fact of verdict.facts) {
      const value = fact.id === id ? worded(fact.value) : null;
      const key = `${words} ${value ?? ''}`;
      if (value === null || seen.has(key) || versions.length >= mostVersions) continue;
      seen.add(key);
      versions.push({ words, value, origin: originOf(id, fact.seen) });
    }
  return versions;
}

/** A value in words; null where it has none that fit on a picture. */
function worded(value: unknown): string | null {
  if (typeof value === 'string' || typeof value === 'number') return String(value).slice(0, 80);
  if (value === true) return 'yes';
  if (typeof value !== 'object' || value === null) return null;
  const of = value as Readonly<Record<string, unknown>>;
  const named = [of['name'] ?? of['kind'] ?? of['engine'] ?? of['type'], of['version'] ?? of['mode'] ?? of['path']]
    .filter((part) => typeof part === 'string' || typeof part === 'number')
    .join(' ');
  return named === '' ? null : named.slice(0, 80);
}

const places: ReadonlySet<string> = new Set(['host', 'container', 'image', 'pod', 'node']);

function originOf(id: string, seen: readonly Evidence[]): string | null {
  if (id.startsWith('image.')) return 'image';
  // The module of a host is the module of every container on it.
  if (id === 'driver.module' || id === 'os.kernel') return 'host';
  const subject = seen[0]?.subject ?? '';
  return places.has(subject) ? subject : null;
}
