import type { Rule } from '../model/rule.ts';
import { busyLabelIdleSms } from './application/busy-label-idle-sms.ts';
import { okWellUsed } from './ok/ok-well-used.ts';
import { okMemoryBoundWellUsed } from './ok/ok-memory-bound-well-used.ts';
import { okComputeBound } from './ok/ok-compute-bound.ts';
import { okStreamingInput } from './ok/ok-streaming-input.ts';
import { okPcieCollectives } from './ok/ok-pcie-collectives.ts';
import { okCheckpointWrite } from './ok/ok-checkpoint-write.ts';
import { okTrainingWithCheckpoints } from './ok/ok-training-with-checkpoints.ts';
import { okTrainingWithEvaluation } from './ok/ok-training-with-evaluation.ts';
import { okWarmUp } from './ok/ok-warm-up.ts';
import { okPreemptedJob } from './ok/ok-preempted-job.ts';
import { okBurstyInference } from './ok/ok-bursty-inference.ts';
import { okDiurnalInference } from './ok/ok-diurnal-inference.ts';
import { okFp64Compute } from './ok/ok-fp64-compute.ts';
import { okAtPowerLimit } from './ok/ok-at-power-limit.ts';
import { okIdle } from './ok/ok-idle.ts';
import { okIdleInference } from './ok/ok-idle-inference.ts';
import { okPipelineStages } from './ok/ok-pipeline-stages.ts';
import { okTwoJobs } from './ok/ok-two-jobs.ts';
import { okMigInstances } from './ok/ok-mig-instances.ts';
import { cpuBound } from './application/cpu-bound.ts';
import { migInstancesImbalanced } from './application/mig-instances-imbalanced.ts';
import { mpsClientsImbalanced } from './application/mps-clients-imbalanced.ts';
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
  cpuBound,
  migInstancesImbalanced,
  mpsClientsImbalanced,
  encoderBound,
  hostOffloadCopyBound,
  nvlinkIdleMultiGpu,
  stragglerRankInput,
  stragglerGpu,
  exporterBlind,
  exporterAbsent,
  profilingCountersBlind,
  okWellUsed,
  okMemoryBoundWellUsed,
  okComputeBound,
  okStreamingInput,
  okPcieCollectives,
  okCheckpointWrite,
  okTrainingWithCheckpoints,
  okTrainingWithEvaluation,
  okWarmUp,
  okPreemptedJob,
  okBurstyInference,
  okDiurnalInference,
  okFp64Compute,
  okAtPowerLimit,
  okIdle,
  okIdleInference,
  okPipelineStages,
  okTwoJobs,
  okMigInstances,
];
