import type { OccupancyRuleRow } from './occupancy.types.ts';

/** How the limits make an answer. */
export const occupancyRules: readonly OccupancyRuleRow[] = [
  { id: 'warps-per-block', what: '', confirmed: true, sources: ['cuda-occupancy-api'] },
  { id: 'registers', what: '', confirmed: true, sources: ['cuda-occupancy-api'] },
  { id: 'registers-launch-check', what: '', confirmed: true, sources: ['cuda-occupancy-api'] },
  { id: 'shared-memory', what: '', confirmed: true, sources: ['cuda-occupancy-api'] },
  { id: 'shared-memory-limit', what: '', confirmed: true, sources: ['cuda-occupancy-api'] },
  { id: 'carveout-percent', what: '', confirmed: true, sources: ['cuda-occupancy-api'] },
  { id: 'warps', what: '', confirmed: true, sources: ['cuda-occupancy-api'] },
  { id: 'blocks', what: '', confirmed: true, sources: ['cuda-occupancy-api'] },
  { id: 'barriers', what: '', confirmed: true, sources: ['cuda-occupancy-api'] },
  { id: 'virtual-resources', what: '', confirmed: true, sources: ['cuda-occupancy-api'] },
  { id: 'partitioned-global-caching', what: '', confirmed: true, sources: ['cuda-occupancy-api'] },
  { id: 'answer', what: '', confirmed: true, sources: ['cuda-occupancy-api'] },
  { id: 'best-block-size', what: '', confirmed: true, sources: ['cuda-occupancy-api'] },
  { id: 'available-dynamic', what: '', confirmed: true, sources: ['cuda-occupancy-api'] },
];
