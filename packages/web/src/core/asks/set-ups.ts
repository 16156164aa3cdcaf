import { mismatchReadings, mismatchScenes, tellingCommand } from '@culprit/core/diagnose/mismatch-scenes';
import { imageRuntimes, imageScenes, sceneOnHost } from '@culprit/core/image/scenes';
import { defaultKnowledge } from '@culprit/core/knowledge/knowledge';
import type { Answerer } from '../protocol.ts';
import { sceneVerdict } from '../scene-verdict.ts';

/** Which libcuda a container ends up with, for each way to start it. */
export const libcuda: Answerer<'libcuda'> = ({ image, driver, gpu }) => {
  const predictions = sceneOnHost(image, { driver, gpu }, defaultKnowledge) ?? [];
  return Promise.resolve({
    images: imageScenes.map(({ id, title }) => ({ id, title })),
    rows: predictions.map((one, at) => ({
      mode: imageRuntimes[at]?.mode ?? '',
      toolkit: imageRuntimes[at]?.toolkit ?? null,
      kind: one.libcuda.kind,
      version: one.libcuda.version,
      by: one.compat.by,
      answer: one.answer,
      rule: one.rule,
      errorSeen: one.errorSeen,
      message: one.message,
      needs: one.needs,
      clauses: one.clauses,
    })),
  });
};

/** Three set-ups that do not fit, judged before and after the command that tells them apart. */
export const mismatch: Answerer<'mismatch'> = (releases) => {
  const scenes = mismatchScenes(releases, defaultKnowledge);
  return Promise.resolve({
    command: tellingCommand,
    scenes: scenes.map(({ title, report, suspected, transcript, verdict }) => ({
      title,
      report,
      suspected: sceneVerdict(suspected),
      transcript,
      verdict: sceneVerdict(verdict),
    })),
    readings: mismatchReadings(scenes),
  });
};
