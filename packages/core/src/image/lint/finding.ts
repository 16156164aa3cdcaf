// Findings of build files, in the shape of every other finding: the line is the evidence.
import type { Knowledge } from '../../knowledge/knowledge.ts';
import type { Certainty, Status } from '../../model/layer.ts';
import type { Remedy } from '../../model/rule.ts';
import type { Finding, Verdict } from '../../model/verdict.ts';

/** A place in a build file. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly text: string;
}

/** What was noticed, before it is a finding. */
export interface Notice {
  readonly cause: string;
  readonly certainty: Certainty;
  readonly message: string;
  readonly places: readonly Place[];
  readonly remedies: readonly Remedy[];
  readonly restsOn: readonly string[];
}

const grade: readonly Certainty[] = ['proved', 'likely', 'possible'];

/** A notice as a finding: layer and owner are those of its cause. */
function findingOf(notice: Notice, knowledge: Knowledge): Finding | null {
  const row = knowledge.causes.find((each) => each.cause === notice.cause);
  if (row === undefined || row.layer === null) return null;
  return {
    rule: `${row.layer}/${row.cause}`,
    layer: row.layer,
    cause: row.cause,
    owner: 'developer',
    certainty: notice.certainty,
    message: notice.message,
    evidence: notice.places.map((place) => ({
      subject: 'image',
      file: place.file,
      source: 'build-file',
      line: place.line,
      column: place.column,
      text: place.text.slice(0, 2048),
    })),
    restsOn: notice.restsOn,
    explains: [],
    remedies: notice.remedies,
  };
}

/**
 * The verdict on build files. One cause at one line is told once; what is surer leads.
 * @param cleared what was looked at and is in order, in words
 */
export function lintVerdict(
  notices: readonly Notice[],
  files: readonly string[],
  left: readonly string[],
  knowledge: Knowledge,
): Verdict {
  const seen = new Set<string>();
  const findings = notices
    .map((notice) => findingOf(notice, knowledge))
    .filter((finding) => finding !== null)
    .filter((finding) => {
      const [place] = finding.evidence;
      const key = `${finding.cause} ${place?.file ?? ''}:${place?.line ?? 0}`;
      if (seen.has(key)) return false;
      seen.add(key);
      return true;
    })
    .sort((a, b) => grade.indexOf(a.certainty) - grade.indexOf(b.certainty));
  const [lead] = findings;
  const accused = lead !== undefined && lead.certainty !== 'possible';
  const status: Status = accused
    ? 'fault'
    : left.length > 0
      ? 'cannot-tell'
      : lead === undefined
        ? 'ok'
        : 'cannot-tell';
  const names = files.join(', ');
  const headline = accused
    ? lead.message
    : left.length > 0
      ? `cannot tell: ${left[0] ?? ''}`
      : lead === undefined
        ? `nothing in ${names} stands in the way of the GPU`
        : `cannot tell, it depends on the nodes: ${lead.message}`;
  return {
    schema: 'culprit/verdict@1',
    status,
    headline,
    layer: accused ? lead.layer : null,
    cause: accused ? lead.cause : null,
    owner: accused ? lead.owner : 'none',
    certainty: accused ? lead.certainty : null,
    findings,
    cleared:
      status === 'ok'
        ? [{ layer: 'image', because: `no mistake that is known was found in ${names}`, evidence: [] }]
        : [],
    unknown: left.map((each) => ({
      layer: 'image',
      missing: [each],
      ask: 'culprit image REF   # of the image that is built',
    })),
    facts: [],
    knowledge: { asOf: knowledge.asOf, digest: knowledge.digest },
  };
}
