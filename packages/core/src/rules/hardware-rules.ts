import type { Rule } from '../model/rule.ts';
import { adapterFirmwareFault } from './network/adapter-firmware-fault.ts';
import { pciWindowUnassigned } from './host-os/pci-window-unassigned.ts';
import { thermalShutdown } from './hardware/thermal-shutdown.ts';
import { inforomCorrupt } from './hardware/inforom-corrupt.ts';
import { hostOutOfMemory } from './host-os/host-out-of-memory.ts';
import { nvidiaDriverHang } from './driver/nvidia-driver-hang.ts';
import { silentDataCorruption } from './hardware/silent-data-corruption.ts';
import { gpuFaultsManyPrograms } from './hardware/gpu-faults-many-programs.ts';
import { gpuNeedsReset } from './hardware/gpu-needs-reset.ts';
import { nvlinkInactive } from './hardware/nvlink-inactive.ts';
import { nvlinkFault } from './hardware/nvlink-fault.ts';
import { numaMisplaced } from './host-os/numa-misplaced.ts';
import { gpuCountWrong } from './hardware/gpu-count-wrong.ts';
import { eccOff } from './hardware/ecc-off.ts';
import { applicationClocksLowered } from './driver/application-clocks-lowered.ts';
import { powerThrottle } from './hardware/power-throttle.ts';
import { powerLimitLowered } from './hardware/power-limit-lowered.ts';
import { powerBrakeSlowdown } from './hardware/power-brake-slowdown.ts';
import { thermalThrottle } from './hardware/thermal-throttle.ts';
import { pcieLinkDegraded } from './hardware/pcie-link-degraded.ts';
import { hostnameResolvesToLoopback } from './network/hostname-resolves-to-loopback.ts';
import { mtuMismatch } from './network/mtu-mismatch.ts';
import { fabricCongested } from './network/fabric-congested.ts';
import { ibLinkErrors } from './network/ib-link-errors.ts';
import { ibPortSlow } from './network/ib-port-slow.ts';
import { roceNotLossless } from './network/roce-not-lossless.ts';
import { roceGidIndexWrong } from './network/roce-gid-index-wrong.ts';
import { ibLinkDown } from './network/ib-link-down.ts';
import { ncclRailsMixed } from './network/nccl-rails-mixed.ts';
import { ncclTopologyWrong } from './nccl/nccl-topology-wrong.ts';
import { ncclNetPluginLost } from './nccl/nccl-net-plugin-lost.ts';
import { gdrOff } from './network/gdr-off.ts';
import { clockSkew } from './host-os/clock-skew.ts';
import { filesystemReadOnly } from './host-os/filesystem-read-only.ts';
import { diskFull } from './host-os/disk-full.ts';
import { hugepagesMissing } from './host-os/hugepages-missing.ts';
import { memlockLimitTooLow } from './host-os/memlock-limit-too-low.ts';
import { dmabufUnsupported } from './host-os/dmabuf-unsupported.ts';
import { gdsNotAvailable } from './host-os/gds-not-available.ts';
import { gdrcopyNotLoaded } from './host-os/gdrcopy-not-loaded.ts';
import { nvlink5IbModulesMissing } from './host-os/nvlink5-ib-modules-missing.ts';
import { fabricManagerVersionMismatch } from './fabric/fabric-manager-version-mismatch.ts';
import { fabricManagerNotRunning } from './fabric/fabric-manager-not-running.ts';
import { peermemModuleNotLoaded } from './driver/peermem-module-not-loaded.ts';
import { ncclTooOldForPeermemModule } from './nccl/nccl-too-old-for-peermem-module.ts';
import { ncclBugHang } from './nccl/nccl-bug-hang.ts';
import { ncclTooOldForGpuTopology } from './nccl/nccl-too-old-for-gpu-topology.ts';
import { ncclVersionDiffersAcrossRanks } from './nccl/nccl-version-differs-across-ranks.ts';
import { ncclShmTooSmall } from './container-runtime/nccl-shm-too-small.ts';
import { ncclPeerUnreachable } from './network/nccl-peer-unreachable.ts';
import { ncclContainerNoNetwork } from './network/nccl-container-no-network.ts';
import { ncclWrongInterface } from './network/nccl-wrong-interface.ts';
import { gspRpcTimeoutDriverBug } from './driver/gsp-rpc-timeout-driver-bug.ts';
import { rowRemapPendingNeedsReset } from './hardware/row-remap-pending-needs-reset.ts';
import { rowRemapFailureRma } from './hardware/row-remap-failure-rma.ts';
import { uncorrectableEcc } from './hardware/uncorrectable-ecc.ts';
import { gpuFellOffBusPower } from './hardware/gpu-fell-off-bus-power.ts';

export const hardwareRules: readonly Rule[] = [
  adapterFirmwareFault,
  pciWindowUnassigned,
  thermalShutdown,
  inforomCorrupt,
  hostOutOfMemory,
  nvidiaDriverHang,
  silentDataCorruption,
  gpuFaultsManyPrograms,
  gpuNeedsReset,
  nvlinkInactive,
  nvlinkFault,
  numaMisplaced,
  gpuCountWrong,
  eccOff,
  applicationClocksLowered,
  powerThrottle,
  powerLimitLowered,
  powerBrakeSlowdown,
  thermalThrottle,
  pcieLinkDegraded,
  hostnameResolvesToLoopback,
  mtuMismatch,
  ibLinkErrors,
  ibPortSlow,
  roceNotLossless,
  fabricCongested,
  roceGidIndexWrong,
  ibLinkDown,
  ncclRailsMixed,
  ncclTopologyWrong,
  ncclNetPluginLost,
  gdrOff,
  clockSkew,
  filesystemReadOnly,
  diskFull,
  hugepagesMissing,
  memlockLimitTooLow,
  dmabufUnsupported,
  gdsNotAvailable,
  gdrcopyNotLoaded,
  nvlink5IbModulesMissing,
  fabricManagerVersionMismatch,
  fabricManagerNotRunning,
  peermemModuleNotLoaded,
  ncclTooOldForPeermemModule,
  ncclBugHang,
  ncclTooOldForGpuTopology,
  ncclVersionDiffersAcrossRanks,
  ncclShmTooSmall,
  ncclPeerUnreachable,
  ncclContainerNoNetwork,
  ncclWrongInterface,
  gspRpcTimeoutDriverBug,
  rowRemapPendingNeedsReset,
  rowRemapFailureRma,
  uncorrectableEcc,
  gpuFellOffBusPower,
];
