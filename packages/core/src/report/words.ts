import type { Actor, Certainty, Layer, Owner } from '../model/layer.ts';
import type { Verdict } from '../model/verdict.ts';

/** Names of the layers in a sentence. */
export const layerWords: Readonly<Record<Layer, string>> = {
  hardware: 'hardware',
  fabric: 'GPU fabric',
  'host-os': 'host system',
  driver: 'driver',
  'container-runtime': 'container runtime',
  orchestrator: 'orchestrator',
  image: 'image',
  toolkit: 'CUDA toolkit',
  cudnn: 'cuDNN',
  nccl: 'NCCL',
  network: 'network',
  framework: 'framework',
  application: 'application',
};

const ownerWords: Readonly<Record<Owner, string>> = {
  operator: 'the operator acts',
  developer: 'the developer acts',
  vendor: 'the vendor acts',
  none: 'nobody has to act',
};

export const actorWords: Readonly<Record<Actor, string>> = {
  'node-admin': 'node admin',
  'cluster-admin': 'cluster admin',
  'image-owner': 'image owner',
  developer: 'developer',
  vendor: 'vendor',
};

/** What a certainty means, for a reader who meets the word for the first time. */
export const certaintyWords: Readonly<Record<Certainty, string>> = {
  proved: 'printed facts and a published rule decide it',
  likely: 'the message or the numbers say so; the deciding fact is missing',
  possible: 'one of several causes',
};

/** Status, layer and who acts, before the headline: `fault in the driver, the operator acts`. Null where the headline says it all. */
export function statusWords(verdict: Verdict): string | null {
  const layer = verdict.layer === null ? null : layerWords[verdict.layer];
  const owner = ownerWords[verdict.owner];
  switch (verdict.status) {
    case 'fault':
      return layer === null ? `fault, ${owner}` : `fault in the ${layer}, ${owner}`;
    case 'performance':
      return layer === null ? `slow, ${owner}` : `slow because of the ${layer}, ${owner}`;
    case 'not-stack-fault':
      // What the operator mends there is no line of the program.
      return verdict.layer === 'application' && verdict.owner === 'operator'
        ? `not the GPU stack but how the program is run, ${owner}`
        : `not the GPU stack but the ${layer ?? 'program'}, ${owner}`;
    case 'ok':
      return 'ok';
    case 'cannot-tell':
      return null;
  }
}

/** Over the findings that do not lead: what was found too, what is suspected in spite of a healthy verdict, what may lead. */
export function othersTitle({ status, certainty, findings }: Verdict): string {
  if (findings.length > 0 && certainty !== null) return 'Also found';
  return status === 'ok' ? 'Suspected, and not proved' : 'What it may be, likeliest first';
}

/** First line of a report: it stands alone. */
export function headlineOf(verdict: Verdict): string {
  const words = statusWords(verdict);
  return words === null ? verdict.headline : `${words}: ${verdict.headline}`;
}

/** Where evidence stands: `job.log:3`, `standard input, line 3`, with a column where a long line was cut. */
export function placeWords(evidence: {
  readonly file: string | null;
  readonly line: number;
  readonly column: number;
}): string {
  const column = evidence.column > 1 ? `:${evidence.column}` : '';
  if (evidence.file === null) return `line ${evidence.line}${column}`;
  return `${evidence.file === '-' ? '<stdin>' : evidence.file}:${evidence.line}${column}`;
}
