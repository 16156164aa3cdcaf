import type { Rule } from '../model/rule.ts';
import { okImageSound } from './ok/ok-image-sound.ts';
import { okMixedGpuGenerations } from './ok/ok-mixed-gpu-generations.ts';
import { okForwardCompatInUse } from './ok/ok-forward-compat-in-use.ts';
import { okMinorVersionCompat } from './ok/ok-minor-version-compat.ts';
import { okDriverServesToolkit } from './ok/ok-driver-serves-toolkit.ts';
import { okNoGpuHere } from './ok/ok-no-gpu-here.ts';
import { okUtilityOnlyByDesign } from './ok/ok-utility-only-by-design.ts';
import { okMigOneDevicePerProcess } from './ok/ok-mig-one-device-per-process.ts';
import { syncAfterEachKernel } from './application/sync-after-each-kernel.ts';
import { waveQuantisationTail } from './application/wave-quantisation-tail.ts';
import { applicationTemplateError } from './application/application-template-error.ts';
import { okProfilingOverheadLow } from './ok/ok-profiling-overhead-low.ts';
import { okInjectedError } from './ok/ok-injected-error.ts';
import { registersLimitOccupancy } from './application/registers-limit-occupancy.ts';
import { hungKernelAppDeadlock } from './application/hung-kernel-app-deadlock.ts';
import { managedMemoryPageFaults } from './application/managed-memory-page-faults.ts';
import { inputPipelineBound } from './application/input-pipeline-bound.ts';
import { launchBoundNeedsCudaGraphs } from './application/launch-bound-needs-cuda-graphs.ts';
import { defaultStreamSerialisation } from './application/default-stream-serialisation.ts';
import { pageableCopiesSlow } from './application/pageable-copies-slow.ts';
import { pageableCopiesSynchronous } from './application/pageable-copies-synchronous.ts';
import { blockLimitCapsOccupancy } from './application/block-limit-caps-occupancy.ts';
import { blockSizeTooSmall } from './application/block-size-too-small.ts';
import { applicationConfiguration } from './application/application-configuration.ts';
import { applicationDownloadFailed } from './application/application-download-failed.ts';
import { applicationException } from './application/application-exception.ts';
import { applicationOutOfMemory } from './application/application-out-of-memory.ts';
import { deviceSideAssertIndex } from './application/device-side-assert-index.ts';
import { forkAfterCudaInit } from './application/fork-after-cuda-init.ts';
import { illegalAccessAppBug } from './application/illegal-access-app-bug.ts';
import { okActorWithoutGpuByDesign } from './ok/ok-actor-without-gpu-by-design.ts';
import { okBenignWarning } from './ok/ok-benign-warning.ts';
import { okCpuOnlyByDesign } from './ok/ok-cpu-only-by-design.ts';
import { okInfoNotCollected } from './ok/ok-info-not-collected.ts';
import { okMigEnabled } from './ok/ok-mig-enabled.ts';
import { okMixedMinorPackages } from './ok/ok-mixed-minor-packages.ts';
import { okNcclRunGood } from './ok/ok-nccl-run-good.ts';
import { okNothingWrong } from './ok/ok-nothing-wrong.ts';
import { okNvccAndDriverCudaDiffer } from './ok/ok-nvcc-and-driver-cuda-differ.ts';
import { okNvmlFieldsNotAvailable } from './ok/ok-nvml-fields-not-available.ts';
import { okProcessesHiddenByPidNamespace } from './ok/ok-processes-hidden-by-pid-namespace.ts';
import { okSameMajorCcWarning } from './ok/ok-same-major-cc-warning.ts';
import { okStaleErrorGauge } from './ok/ok-stale-error-gauge.ts';
import { okSystemCudnnBesideBundled } from './ok/ok-system-cudnn-beside-bundled.ts';
import { visibleDevicesOutOfRange } from './application/visible-devices-out-of-range.ts';
import { harmfulEnvironment } from './application/harmful-environment.ts';
import { environmentBreaksRun } from './application/environment-breaks-run.ts';
import { ldPreloadInterposer } from './application/ld-preload-interposer.ts';
import { cudaGraphCaptureError } from './application/cuda-graph-capture-error.ts';
import { cublasWorkspace } from './application/cublas-workspace.ts';
import { watchdogTimeoutDisplayGpu } from './application/watchdog-timeout-display-gpu.ts';
import { dataCorrupt } from './application/data-corrupt.ts';
import { checkpointCorrupt } from './application/checkpoint-corrupt.ts';
import { diskQuota } from './application/disk-quota.ts';
import { lossNotFinite } from './application/loss-not-finite.ts';
import { kernelExceedsGpuLimits } from './application/kernel-exceeds-gpu-limits.ts';
import { dtypeUnsupportedOnGpu } from './application/dtype-unsupported-on-gpu.ts';
import { distributedInitMisuse } from './application/distributed-init-misuse.ts';
import { warpDivergence } from './application/warp-divergence.ts';
import { lowAchievedOccupancy } from './application/low-achieved-occupancy.ts';
import { sharedMemoryBankConflicts } from './application/shared-memory-bank-conflicts.ts';
import { uncoalescedAccess } from './application/uncoalesced-access.ts';
import { manySmallCopies } from './application/many-small-copies.ts';
import { allocInLoop } from './application/alloc-in-loop.ts';
import { jitCompilerMissing } from './framework/jit-compiler-missing.ts';
import { okPageableFastOnGh200 } from './ok/ok-pageable-fast-on-gh200.ts';
import { okProfilingUnsupportedBeforeVolta } from './ok/ok-profiling-unsupported-before-volta.ts';
import { okMemoryBandwidthBound } from './ok/ok-memory-bandwidth-bound.ts';
import { okComputeBoundWellUsed } from './ok/ok-compute-bound-well-used.ts';
import { duplicateGpuAcrossRanks } from './application/duplicate-gpu-across-ranks.ts';
import { portInUse } from './application/port-in-use.ts';
import { rendezvousFailed } from './application/rendezvous-failed.ts';
import { kvCacheTooSmall } from './application/kv-cache-too-small.ts';
import { copiesNotOverlapped } from './application/copies-not-overlapped.ts';
import { ncclExposedCommunication } from './application/nccl-exposed-communication.ts';
import { managedMemoryOversubscribed } from './application/managed-memory-oversubscribed.ts';
import { streamsWithoutOrder } from './application/streams-without-order.ts';
import { tensorCoresIdle } from './application/tensor-cores-idle.ts';

/** Rules about the program itself, its speed, and healthy input. */
export const programRules: readonly Rule[] = [
  okImageSound,
  copiesNotOverlapped,
  ncclExposedCommunication,
  tensorCoresIdle,
  streamsWithoutOrder,
  managedMemoryOversubscribed,
  okMixedGpuGenerations,
  okForwardCompatInUse,
  duplicateGpuAcrossRanks,
  portInUse,
  rendezvousFailed,
  kvCacheTooSmall,
  visibleDevicesOutOfRange,
  harmfulEnvironment,
  environmentBreaksRun,
  ldPreloadInterposer,
  cudaGraphCaptureError,
  cublasWorkspace,
  watchdogTimeoutDisplayGpu,
  dataCorrupt,
  checkpointCorrupt,
  diskQuota,
  lossNotFinite,
  kernelExceedsGpuLimits,
  dtypeUnsupportedOnGpu,
  distributedInitMisuse,
  warpDivergence,
  lowAchievedOccupancy,
  sharedMemoryBankConflicts,
  uncoalescedAccess,
  manySmallCopies,
  allocInLoop,
  jitCompilerMissing,
  okPageableFastOnGh200,
  okProfilingUnsupportedBeforeVolta,
  okMemoryBandwidthBound,
  okComputeBoundWellUsed,
  okMinorVersionCompat,
  okDriverServesToolkit,
  okNoGpuHere,
  okUtilityOnlyByDesign,
  okMigOneDevicePerProcess,
  syncAfterEachKernel,
  waveQuantisationTail,
  applicationTemplateError,
  okProfilingOverheadLow,
  okInjectedError,
  registersLimitOccupancy,
  hungKernelAppDeadlock,
  managedMemoryPageFaults,
  inputPipelineBound,
  launchBoundNeedsCudaGraphs,
  defaultStreamSerialisation,
  pageableCopiesSlow,
  pageableCopiesSynchronous,
  blockLimitCapsOccupancy,
  blockSizeTooSmall,
  deviceSideAssertIndex,
  forkAfterCudaInit,
  illegalAccessAppBug,
  applicationOutOfMemory,
  applicationDownloadFailed,
  applicationConfiguration,
  applicationException,
  okActorWithoutGpuByDesign,
  okBenignWarning,
  okCpuOnlyByDesign,
  okInfoNotCollected,
  okMigEnabled,
  okMixedMinorPackages,
  okNcclRunGood,
  okNothingWrong,
  okNvccAndDriverCudaDiffer,
  okNvmlFieldsNotAvailable,
  okProcessesHiddenByPidNamespace,
  okSameMajorCcWarning,
  okStaleErrorGauge,
  okSystemCudnnBesideBundled,
];
