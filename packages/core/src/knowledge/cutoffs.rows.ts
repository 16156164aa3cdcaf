import type { CutoffRow } from './architectures.types.ts';

/** Toolkit releases that dropped compute capabilities. */
export const cutoffs: readonly CutoffRow[] = [
  { cuda: '11.0', dropped: ['3.0', '3.2'], confirmed: true, sources: ['cuda-jl-compatibility', 'cuda-release-notes'] },
  { cuda: '12.0', dropped: ['3.5', '3.7'], confirmed: true, sources: ['cuda-jl-compatibility', 'cuda-release-notes'] },
  { cuda: '13.0', dropped: ['5.0', '5.2', '5.3', '6.0', '6.1', '6.2', '7.0', '7.2'], confirmed: true, sources: ['cuda-jl-compatibility', 'cuda-release-notes'] },
];
