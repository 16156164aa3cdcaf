// Predictions in words, for every format.
import { nodeLabel } from '../image/node.ts';
import type { ImageReport, Prediction } from '../image/model.ts';
import { visible } from './visible.ts';

/** An image with its predictions; the ones of one image are in the order of the nodes. */
export interface ImagesReport {
  readonly schema: 'culprit/images@1';
  readonly images: readonly ImageReport[];
}

export const answerWords: Readonly<Record<Prediction['answer'], string>> = {
  runs: 'runs',
  'runs-if': 'runs on a condition',
  'does-not-run': 'does not run',
  'cannot-tell': 'cannot tell',
};

/** What a node is called. */
export function nodeWords(prediction: Prediction): string {
  if (prediction.node !== undefined) return prediction.node;
  const node: Record<string, string | boolean> = {};
  for (const [key, value] of Object.entries(prediction.on))
    node[key.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())] = value;
  return nodeLabel(node);
}

const mostNamed = 6;

/**
 * One line that stands for all images and nodes: how many run, and which do not.
 * @param images each with the same nodes
 */
export function pairsHeadline(images: readonly ImageReport[]): string {
  const pairs = images.flatMap((image) => image.predictions.map((one) => ({ image, one })));
  const [only] = images;
  const alone = images.length === 1 && only !== undefined;
  const parts = (['runs', 'does-not-run', 'cannot-tell', 'runs-if'] as const).flatMap((answer) => {
    const found = pairs.filter((pair) => pair.one.answer === answer);
    if (answer === 'runs')
      return [`runs on ${found.length} of ${pairs.length} ${alone ? 'nodes' : 'pairs of image and node'}`];
    if (found.length === 0) return [];
    const names = found
      .slice(0, mostNamed)
      .map(({ image, one }) => (alone ? nodeWords(one) : `${image.reference} on ${nodeWords(one)}`));
    const more = found.length > mostNamed ? ` and ${found.length - mostNamed} more` : '';
    return [`${answerWords[answer]}: ${names.join(', ')}${more}`];
  });
  return visible(`${alone ? `${only.reference} ` : ''}${parts.join('; ')}`);
}

/** Why, in one line: what is seen, or the condition, else the message. */
export function reasonWords(prediction: Prediction): string {
  const error = prediction.errorSeen;
  const seen = error === null ? null : /^\d{1,4}$/.test(error) ? `CUDA error ${error}` : error;
  switch (prediction.answer) {
    case 'runs':
      return libcudaWords(prediction);
    case 'runs-if':
      return `provided: ${prediction.conditions.join('; ')}`;
    case 'does-not-run':
      return `${prediction.message}${seen === null ? '' : `; seen: ${seen}`}`;
    case 'cannot-tell':
      return prediction.message;
  }
}

/** `compat libcuda 590.44.01 by elf-note`. */
export function libcudaWords(prediction: Prediction): string {
  const { kind, version } = prediction.libcuda;
  if (kind === null) return prediction.starts === false ? 'none: it does not start' : 'depends';
  if (kind === 'none') return 'no libcuda';
  const by = prediction.compat.used === true && prediction.compat.by !== null ? ` by ${prediction.compat.by}` : '';
  const whose = {
    host: "the host's libcuda",
    compat: 'compat libcuda',
    baked: "the image's own libcuda",
    stub: 'the stub',
  }[kind];
  return `${whose}${version === null ? '' : ` ${version}`}${by}`;
}

export function modeWords(prediction: Prediction): string {
  return prediction.mode === null
    ? 'mode not known'
    : prediction.mode === 'none'
      ? 'nothing injected'
      : prediction.mode;
}

/** `refused`, `passes`, `not checked`. */
export function requirementWords(prediction: Prediction): string {
  const { checked, holds } = prediction.requirement;
  if (checked === false) return holds === false ? 'not checked (would refuse)' : 'not checked';
  if (holds === null || checked === null) return 'depends';
  return holds ? 'passes' : 'refused';
}
