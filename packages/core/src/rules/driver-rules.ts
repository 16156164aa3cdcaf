import type { Rule } from '../model/rule.ts';
import { windowsDriverMissing } from './driver/windows-driver-missing.ts';
import { wslWithoutGpu } from './host-os/wsl-without-gpu.ts';
import { vgpuGuestMismatch } from './driver/vgpu-guest-mismatch.ts';
import { libraryReplacedUnderProcess } from './host-os/library-replaced-under-process.ts';
import { hostDriverNotLoaded } from './driver/host-driver-not-loaded.ts';
import { nvlinkDomainNotReady } from './fabric/nvlink-domain-not-ready.ts';
import { imexNotReady } from './fabric/imex-not-ready.ts';
import { driverInstallHalfConfigured } from './driver/driver-install-half-configured.ts';
import { migDeviceMissing } from './driver/mig-device-missing.ts';
import { migModePendingReset } from './driver/mig-mode-pending-reset.ts';
import { persistenceDaemonOff } from './driver/persistence-daemon-off.ts';
import { deviceNodePermissions } from './driver/device-node-permissions.ts';
import { selinuxApparmorDeniesDevice } from './host-os/selinux-apparmor-denies-device.ts';
import { mpsServerVersionMismatch } from './driver/mps-server-version-mismatch.ts';
import { mpsNotReachable } from './driver/mps-not-reachable.ts';
import { vgpuLicenceMissing } from './driver/vgpu-licence-missing.ts';
import { libcudaStubLinkedAtBuild } from './application/libcuda-stub-linked-at-build.ts';
import { containerToolkitUsedImageCompatLibs } from './container-runtime/container-toolkit-used-image-compat-libs.ts';
import { hostLibNeedsNewerGlibcThanContainer } from './container-runtime/host-lib-needs-newer-glibc-than-container.ts';
import { blackwellNeedsOpenKmod } from './driver/blackwell-needs-open-kmod.ts';
import { driverBelowToolkitMinimum } from './driver/driver-below-toolkit-minimum.ts';
import { driverTooOldForJitKernels } from './driver/driver-too-old-for-jit-kernels.ts';
import { exclusiveComputeMode } from './driver/exclusive-compute-mode.ts';
import { forwardCompatUnsupportedGpu } from './driver/forward-compat-unsupported-gpu.ts';
import { kmodNotUpgradedPackageBroken } from './driver/kmod-not-upgraded-package-broken.ts';
import { kmodUserspaceMismatchAfterUpgrade } from './driver/kmod-userspace-mismatch-after-upgrade.ts';
import { openKmodDriverBug } from './driver/open-kmod-driver-bug.ts';
import { openKmodGpuNotEnabled } from './driver/open-kmod-gpu-not-enabled.ts';
import { ptxNewerThanDriver } from './driver/ptx-newer-than-driver.ts';
import { staleDriverLibsOnHost } from './driver/stale-driver-libs-on-host.ts';
import { twoDriversInstalled } from './driver/two-drivers-installed.ts';
import { userspaceNewerThanKernelModule } from './driver/userspace-newer-than-kernel-module.ts';
import { uvmModuleMissing } from './driver/uvm-module-missing.ts';
import { uvmStaleAfterSuspend } from './driver/uvm-stale-after-suspend.ts';
import { wslLibcudaNotASymlink } from './driver/wsl-libcuda-not-a-symlink.ts';
import { wslLinuxDriverInstalled } from './driver/wsl-linux-driver-installed.ts';
import { wheelNeedsNewerGlibc } from './framework/wheel-needs-newer-glibc.ts';
import { dkmsTreeStaleEntry } from './host-os/dkms-tree-stale-entry.ts';
import { hostGlibcTooOld } from './host-os/host-glibc-too-old.ts';
import { iommuBreaksP2p } from './host-os/iommu-breaks-p2p.ts';
import { kmodMissingForRunningKernel } from './host-os/kmod-missing-for-running-kernel.ts';
import { libcudaStubOnPath } from './host-os/libcuda-stub-on-path.ts';
import { nouveauOwnsGpu } from './host-os/nouveau-owns-gpu.ts';
import { pcieAcsBreaksGdr } from './host-os/pcie-acs-breaks-gdr.ts';
import { pcieAcsBreaksP2p } from './host-os/pcie-acs-breaks-p2p.ts';
import { secureBootUnsignedKmod } from './host-os/secure-boot-unsigned-kmod.ts';
import { wslOsBuildBug } from './host-os/wsl-os-build-bug.ts';

/** Rules of the driver and of what the host does to it: versions, modules, libraries, the C library, peer traffic. */
export const driverRules: readonly Rule[] = [
  windowsDriverMissing,
  wslWithoutGpu,
  vgpuGuestMismatch,
  libraryReplacedUnderProcess,
  hostDriverNotLoaded,
  nvlinkDomainNotReady,
  imexNotReady,
  driverInstallHalfConfigured,
  migDeviceMissing,
  migModePendingReset,
  persistenceDaemonOff,
  deviceNodePermissions,
  selinuxApparmorDeniesDevice,
  mpsServerVersionMismatch,
  mpsNotReachable,
  vgpuLicenceMissing,
  libcudaStubLinkedAtBuild,
  containerToolkitUsedImageCompatLibs,
  hostLibNeedsNewerGlibcThanContainer,
  blackwellNeedsOpenKmod,
  driverBelowToolkitMinimum,
  driverTooOldForJitKernels,
  exclusiveComputeMode,
  forwardCompatUnsupportedGpu,
  kmodNotUpgradedPackageBroken,
  kmodUserspaceMismatchAfterUpgrade,
  openKmodDriverBug,
  openKmodGpuNotEnabled,
  ptxNewerThanDriver,
  staleDriverLibsOnHost,
  twoDriversInstalled,
  userspaceNewerThanKernelModule,
  uvmModuleMissing,
  uvmStaleAfterSuspend,
  wslLibcudaNotASymlink,
  wslLinuxDriverInstalled,
  wheelNeedsNewerGlibc,
  dkmsTreeStaleEntry,
  hostGlibcTooOld,
  iommuBreaksP2p,
  kmodMissingForRunningKernel,
  libcudaStubOnPath,
  nouveauOwnsGpu,
  pcieAcsBreaksGdr,
  pcieAcsBreaksP2p,
  secureBootUnsignedKmod,
  wslOsBuildBug,
];
