import type { Rule } from '../model/rule.ts';
import { busyLabelIdleSms } from './application/busy-label-idle-sms.ts';
import { encoderBound } from './application/encoder-bound.ts';
import { hostOffloadCopyBound } from './application/host-offload-copy-bound.ts';
import { nvlinkIdleMultiGpu } from './application/nvlink-idle-multi-gpu.ts';
import { stragglerRankInput } from './application/straggler-rank-input.ts';
import { stragglerGpu } from './hardware/straggler-gpu.ts';
import { exporterBlind } from './orchestrator/exporter-blind.ts';
import { exporterAbsent } from './orchestrator/exporter-absent.ts';
import { profilingCountersBlind } from './driver/profiling-counters-blind.ts';

/** Rules whose fault only a series of counters shows. */
export const seriesRules: readonly Rule[] = [
  busyLabelIdleSms,
  encoderBound,
  hostOffloadCopyBound,
  nvlinkIdleMultiGpu,
  stragglerRankInput,
  stragglerGpu,
  exporterBlind,
  exporterAbsent,
  profilingCountersBlind,
];
