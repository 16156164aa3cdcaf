import type { TorchDefaultRow } from './wheels.types.ts';

/** CUDA version of the torch wheel that PyPI serves. */
export const torchDefaults: readonly TorchDefaultRow[] = [
  { torch: '2.6', cuda: '12.4', confirmed: true, sources: ['pytorch-test-infra'] },
  { torch: '2.7', cuda: '12.6', confirmed: true, sources: ['pytorch-test-infra'] },
  { torch: '2.8', cuda: '12.8', confirmed: true, sources: ['pytorch-test-infra'] },
  { torch: '2.9', cuda: '12.8', confirmed: true, sources: ['pytorch-test-infra'] },
  { torch: '2.10', cuda: '12.8', confirmed: true, sources: ['pytorch-test-infra'] },
  { torch: '2.11', cuda: '13.0', confirmed: true, sources: ['pytorch-test-infra'] },
  { torch: '2.12', cuda: '13.0', confirmed: true, sources: ['pytorch-test-infra'] },
  { torch: '2.13', cuda: '13.0', confirmed: true, sources: ['pytorch-test-infra'] },
];
