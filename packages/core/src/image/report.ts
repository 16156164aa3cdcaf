// An image, from what was read of its layers to the report.
import type { Document } from '../model/document.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Finding, Verdict } from '../model/verdict.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import { defaultKnowledge } from '../knowledge/knowledge.ts';
import { examine } from '../diagnose/diagnose.ts';
import type { Answered } from '../diagnose/evaluate.ts';
import type { ImageContents } from './contents.ts';
import { contentsOf, inventoryOf } from './inventory.ts';
import { documentsOf, snapshotOf } from './observations.ts';
import type { ImageReport, ScannedImage } from './model.ts';

/** What an image is found to be. */
export interface Inspection {
  /** `culprit/image@1` without predictions. */
  readonly report: ImageReport;
  /** The verdict on the image alone, by the machinery of every other input. */
  readonly verdict: Verdict;
  /** The observations, as they can be kept and read again. */
  readonly snapshot: Snapshot;
  /** The lines that the verdict quotes. */
  readonly documents: readonly Document[];
  /** The whole inventory with origins, for predictions. */
  readonly contents: ImageContents;
}
/**
 * Says what is in an image and what is wrong with it, whatever the node.
 * @param scanned what was read of its layers
 * @param knowledge the tables to judge by
 */
export function inspectImage(scanned: ScannedImage, knowledge: Knowledge = defaultKnowledge): Inspection {
  const contents = contentsOf(scanned, knowledge);
  const snapshot = snapshotOf(scanned, contents);
  const documents = documentsOf(snapshot);
  const { answers, verdict } = examine(documents, knowledge);
  const report: ImageReport = {
    schema: 'culprit/image@1',
    reference: scanned.reference,
    digest: scanned.digest,
    platform: scanned.platform,
    status: verdict.status,
    inventory: inventoryOf(contents),
    // A sound image may have what somebody could still want to know.
    findings: [...verdict.findings, ...remarksOf(answers, verdict, knowledge)],
    predictions: [],
  };
  return { report, verdict, documents, snapshot, contents };
}

/** What is only possible and was left out of a verdict that calls the image sound. */
function remarksOf(answers: readonly Answered[], verdict: Verdict, knowledge: Knowledge): readonly Finding[] {
  return answers.flatMap(({ rule, outcome }): readonly Finding[] => {
    if (outcome.kind !== 'fault' || outcome.certainty !== 'possible' || outcome.seen.length === 0) return [];
    if (verdict.findings.some((each) => each.rule === rule.id)) return [];
    const cut = rule.id.indexOf('/');
    const cause = rule.id.slice(cut + 1);
    return [
      {
        rule: rule.id,
        layer: rule.id.slice(0, cut) as Finding['layer'],
        cause,
        owner: knowledge.causes.find((each) => each.cause === cause)?.owner ?? 'developer',
        certainty: 'possible',
        message: outcome.message,
        evidence: outcome.seen.slice(0, 8),
        restsOn: rule.citations,
        explains: [],
        remedies: outcome.remedies,
      },
    ];
  });
}
