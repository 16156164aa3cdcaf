import type { Verdict } from '@culprit/core/model/verdict';
import type { SceneVerdict } from './figure-asks.ts';

/** A verdict in the parts that a figure shows. */
export function sceneVerdict(verdict: Verdict): SceneVerdict {
  const remedy = verdict.findings[0]?.remedies[0];
  return {
    status: verdict.status,
    headline: verdict.headline,
    cause: verdict.cause,
    certainty: verdict.certainty,
    remedy: remedy?.do ?? null,
  };
}
