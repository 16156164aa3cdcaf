import type { Rule } from '../model/rule.ts';
import { jetsonImageForOtherL4t } from './image/jetson-image-for-other-l4t.ts';
import { draClaimNotPrepared } from './orchestrator/dra-claim-not-prepared.ts';
import { migChangeRefused } from './orchestrator/mig-change-refused.ts';
import { persistencedSocketInTheWay } from './container-runtime/persistenced-socket-in-the-way.ts';
import { slurmGresRefused } from './orchestrator/slurm-gres-refused.ts';
import { compatEntrypointReplaced } from './image/compat-entrypoint-replaced.ts';
import { compatRegisteredForEveryHost } from './image/compat-registered-for-every-host.ts';
import { containerStartedWithoutGpus } from './container-runtime/container-started-without-gpus.ts';
import { containerToolkitNotReady } from './container-runtime/container-toolkit-not-ready.ts';
import { driverUpgradeFailed } from './orchestrator/driver-upgrade-failed.ts';
import { nodeNotReady } from './orchestrator/node-not-ready.ts';
import { containerDeviceUnknown } from './container-runtime/container-device-unknown.ts';
import { imageWrongPlatform } from './image/image-wrong-platform.ts';
import { imagePullFailed } from './image/image-pull-failed.ts';
import { containerCliLacksPermission } from './container-runtime/container-cli-lacks-permission.ts';
import { containerRootfsReadOnly } from './container-runtime/container-rootfs-read-only.ts';
import { toolkitLdconfigWrong } from './container-runtime/toolkit-ldconfig-wrong.ts';
import { cgroupDeviceFilterFailed } from './container-runtime/cgroup-device-filter-failed.ts';
import { podEvicted } from './orchestrator/pod-evicted.ts';
import { podPreempted } from './orchestrator/pod-preempted.ts';
import { jobTimeLimit } from './orchestrator/job-time-limit.ts';
import { slurmGresCountMismatch } from './orchestrator/slurm-gres-count-mismatch.ts';
import { slurmNodeDrained } from './orchestrator/slurm-node-drained.ts';
import { timeSlicingNoMemoryIsolation } from './orchestrator/time-slicing-no-memory-isolation.ts';
import { driverUpgradeInProgress } from './orchestrator/driver-upgrade-in-progress.ts';
import { devicePluginKubeletPathWrong } from './orchestrator/device-plugin-kubelet-path-wrong.ts';
import { devicePluginSeesNoGpu } from './orchestrator/device-plugin-sees-no-gpu.ts';
import { devicePluginNotRunning } from './orchestrator/device-plugin-not-running.ts';
import { gpusAllTaken } from './orchestrator/gpus-all-taken.ts';
import { gpuUnallocatable } from './orchestrator/gpu-unallocatable.ts';
import { gpuResourceNameWrong } from './orchestrator/gpu-resource-name-wrong.ts';
import { devicePluginMigStrategyWrong } from './orchestrator/device-plugin-mig-strategy-wrong.ts';
import { containerMemoryLimit } from './application/container-memory-limit.ts';
import { gpuMemoryHeldByOrphans } from './application/gpu-memory-held-by-orphans.ts';
import { migVisibleDevicesWrong } from './application/mig-visible-devices-wrong.ts';
import { visibleDevicesUuidNotParsed } from './application/visible-devices-uuid-not-parsed.ts';
import { cdiSpecStale } from './container-runtime/cdi-spec-stale.ts';
import { cgroupDeviceAccessLost } from './container-runtime/cgroup-device-access-lost.ts';
import { containerToolkitNotConfigured } from './container-runtime/container-toolkit-not-configured.ts';
import { containerToolkitNotInstalled } from './container-runtime/container-toolkit-not-installed.ts';
import { driverCapabilitiesLackCompute } from './container-runtime/driver-capabilities-lack-compute.ts';
import { driverLibNotInjected } from './container-runtime/driver-lib-not-injected.ts';
import { k8sDefaultRuntimeNotNvidia } from './container-runtime/k8s-default-runtime-not-nvidia.ts';
import { k8sRuntimeClassMissing } from './container-runtime/k8s-runtime-class-missing.ts';
import { runtimeOmitsDeviceNodes } from './container-runtime/runtime-omits-device-nodes.ts';
import { toolkitDriverRootWrong } from './container-runtime/toolkit-driver-root-wrong.ts';
import { visibleDevicesNotSet } from './container-runtime/visible-devices-not-set.ts';
import { driverLibNotPackaged } from './driver/driver-lib-not-packaged.ts';
import { imageRequireCudaUnsatisfied } from './driver/image-require-cuda-unsatisfied.ts';
import { aarch64CpuOnlyWheel } from './framework/aarch64-cpu-only-wheel.ts';
import { cpuBuildReplacedCudaBuild } from './framework/cpu-build-replaced-cuda-build.ts';
import { cpuOnlyFrameworkBuild } from './framework/cpu-only-framework-build.ts';
import { jetsonGenericWheelCpuOnly } from './framework/jetson-generic-wheel-cpu-only.ts';
import { jetsonWheelForOtherJetpack } from './framework/jetson-wheel-for-other-jetpack.ts';
import { prefixLoaderIgnoresHostDriverLibs } from './host-os/prefix-loader-ignores-host-driver-libs.ts';
import { storageHungTask } from './host-os/storage-hung-task.ts';
import { driverFilesBakedIntoImage } from './image/driver-files-baked-into-image.ts';
import { driverGhostFilesInImage } from './image/driver-ghost-files-in-image.ts';
import { hostDriverPathNotInContainerPath } from './image/host-driver-path-not-in-container-path.ts';
import { hostDriverPathNotInLdCache } from './image/host-driver-path-not-in-ld-cache.ts';
import { imageGateLowerThanContent } from './image/image-gate-lower-than-content.ts';
import { operatorDriverConflictsWithHostDriver } from './orchestrator/operator-driver-conflicts-with-host-driver.ts';
import { slurmDevicesNotConstrained } from './orchestrator/slurm-devices-not-constrained.ts';
import { visibleDevicesEmptyByScheduler } from './orchestrator/visible-devices-empty-by-scheduler.ts';

/** Rules about containers, images, clusters, CPU builds, and what holds a GPU back from a process. */
export const containerRules: readonly Rule[] = [
  jetsonImageForOtherL4t,
  draClaimNotPrepared,
  migChangeRefused,
  persistencedSocketInTheWay,
  slurmGresRefused,
  compatEntrypointReplaced,
  compatRegisteredForEveryHost,
  containerStartedWithoutGpus,
  containerToolkitNotReady,
  driverUpgradeFailed,
  nodeNotReady,
  containerDeviceUnknown,
  imageWrongPlatform,
  imagePullFailed,
  containerCliLacksPermission,
  containerRootfsReadOnly,
  toolkitLdconfigWrong,
  cgroupDeviceFilterFailed,
  podEvicted,
  podPreempted,
  jobTimeLimit,
  slurmGresCountMismatch,
  slurmNodeDrained,
  timeSlicingNoMemoryIsolation,
  driverUpgradeInProgress,
  devicePluginKubeletPathWrong,
  devicePluginSeesNoGpu,
  devicePluginNotRunning,
  gpusAllTaken,
  gpuUnallocatable,
  gpuResourceNameWrong,
  devicePluginMigStrategyWrong,
  containerToolkitNotInstalled,
  containerToolkitNotConfigured,
  toolkitDriverRootWrong,
  cdiSpecStale,
  cgroupDeviceAccessLost,
  runtimeOmitsDeviceNodes,
  driverLibNotInjected,
  driverLibNotPackaged,
  driverCapabilitiesLackCompute,
  visibleDevicesNotSet,
  k8sDefaultRuntimeNotNvidia,
  k8sRuntimeClassMissing,
  operatorDriverConflictsWithHostDriver,
  slurmDevicesNotConstrained,
  visibleDevicesEmptyByScheduler,
  driverFilesBakedIntoImage,
  driverGhostFilesInImage,
  imageGateLowerThanContent,
  imageRequireCudaUnsatisfied,
  hostDriverPathNotInContainerPath,
  hostDriverPathNotInLdCache,
  prefixLoaderIgnoresHostDriverLibs,
  storageHungTask,
  migVisibleDevicesWrong,
  visibleDevicesUuidNotParsed,
  gpuMemoryHeldByOrphans,
  containerMemoryLimit,
  cpuBuildReplacedCudaBuild,
  cpuOnlyFrameworkBuild,
  aarch64CpuOnlyWheel,
  jetsonGenericWheelCpuOnly,
  jetsonWheelForOtherJetpack,
];
