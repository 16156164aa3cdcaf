/** The layers of a GPU stack that can be to blame, lowest first: a lower layer's fault usually explains a higher one's. */
export const layers = [
  'hardware',
  'fabric',
  'host-os',
  'driver',
  'container-runtime',
  'orchestrator',
  'image',
  'toolkit',
  'cudnn',
  'nccl',
  'network',
  'framework',
  'application',
] as const;
export type Layer = (typeof layers)[number];

/** Who has to act on a finding. */
export type Owner = 'operator' | 'developer' | 'vendor' | 'none';

/** Who does one step of a remedy. */
export type Actor = 'node-admin' | 'cluster-admin' | 'image-owner' | 'developer' | 'vendor';

/**
 * `proved`: printed facts and a published rule decide it. `likely`: the message or the numbers say so, the deciding fact is missing
 * or was only told. `possible`: one of several. `possible` alone never makes a status.
 */
export type Certainty = 'proved' | 'likely' | 'possible';

export type Status = 'fault' | 'performance' | 'not-stack-fault' | 'ok' | 'cannot-tell';
