import type { Rule } from '../model/rule.ts';
import { pinnedPackagesReplaced } from './framework/pinned-packages-replaced.ts';
import { twoCudnnReleases } from './cudnn/two-cudnn-releases.ts';
import { cudaReleaseEndOfLife } from './toolkit/cuda-release-end-of-life.ts';
import { engineBuiltByOtherTensorrt } from './application/engine-built-by-other-tensorrt.ts';
import { engineBuiltForOtherGpu } from './application/engine-built-for-other-gpu.ts';
import { pinnedAllocFailsHostLimit } from './application/pinned-alloc-fails-host-limit.ts';
import { pinnedMemoryHostOom } from './application/pinned-memory-host-oom.ts';
import { pinnedRegistrationCountLimit } from './application/pinned-registration-count-limit.ts';
import { cudnnNewerThanBuilt } from './cudnn/cudnn-newer-than-built.ts';
import { cudnnOlderThanBuilt } from './cudnn/cudnn-older-than-built.ts';
import { cudnnSystemShadowsBundled } from './cudnn/cudnn-system-shadows-bundled.ts';
import { extensionTorchAbiMismatch } from './framework/extension-torch-abi-mismatch.ts';
import { frameworkKernelIndexOverflow } from './framework/framework-kernel-index-overflow.ts';
import { gpuNewerThanBinaryArchs } from './framework/gpu-newer-than-binary-archs.ts';
import { gpuOlderThanBinaryArchs } from './framework/gpu-older-than-binary-archs.ts';
import { pinnedAllocRoundedUp } from './framework/pinned-alloc-rounded-up.ts';
import { ptxasTooOldForGpu } from './framework/ptxas-too-old-for-gpu.ts';
import { wheelNeedsOtherCudaMajor } from './framework/wheel-needs-other-cuda-major.ts';
import { xformersBuiltForOtherTorch } from './framework/xformers-built-for-other-torch.ts';
import { mixedCudaMajorPackages } from './nccl/mixed-cuda-major-packages.ts';
import { ncclOlderShadowsBundled } from './nccl/nccl-older-shadows-bundled.ts';
import { cublasltOlderShadow } from './toolkit/cublaslt-older-shadow.ts';
import { buildToolkitMissing } from './toolkit/build-toolkit-missing.ts';
import { cudaLibraryOlderThanBuilt } from './toolkit/cuda-library-older-than-built.ts';
import { hostCompilerTooNew } from './toolkit/host-compiler-too-new.ts';
import { jitToolchainTooOldForGpu } from './toolkit/jit-toolchain-too-old-for-gpu.ts';
import { nvccDroppedOldGpu } from './toolkit/nvcc-dropped-old-gpu.ts';
import { nvccTooOldForGpu } from './toolkit/nvcc-too-old-for-gpu.ts';
import { nvccTorchCudaMismatch } from './toolkit/nvcc-torch-cuda-mismatch.ts';
import { nvjitlinkOlderPackage } from './toolkit/nvjitlink-older-package.ts';
import { nvjitlinkOlderShadow } from './toolkit/nvjitlink-older-shadow.ts';
import { nvrtcBuiltinsMismatch } from './toolkit/nvrtc-builtins-mismatch.ts';
import { toolkitLibNotOnLoaderPath } from './toolkit/toolkit-lib-not-on-loader-path.ts';

/** Rules about the built stack: toolkit, cuDNN, NCCL as a library, frameworks, engines, pinned memory. */
export const frameworkRules: readonly Rule[] = [
  pinnedPackagesReplaced,
  twoCudnnReleases,
  cudaReleaseEndOfLife,
  mixedCudaMajorPackages,
  ncclOlderShadowsBundled,
  cudnnSystemShadowsBundled,
  cudnnOlderThanBuilt,
  cudnnNewerThanBuilt,
  nvjitlinkOlderShadow,
  nvjitlinkOlderPackage,
  cublasltOlderShadow,
  nvrtcBuiltinsMismatch,
  toolkitLibNotOnLoaderPath,
  wheelNeedsOtherCudaMajor,
  extensionTorchAbiMismatch,
  xformersBuiltForOtherTorch,
  gpuNewerThanBinaryArchs,
  gpuOlderThanBinaryArchs,
  ptxasTooOldForGpu,
  nvccTooOldForGpu,
  nvccDroppedOldGpu,
  jitToolchainTooOldForGpu,
  nvccTorchCudaMismatch,
  hostCompilerTooNew,
  buildToolkitMissing,
  cudaLibraryOlderThanBuilt,
  engineBuiltByOtherTensorrt,
  engineBuiltForOtherGpu,
  frameworkKernelIndexOverflow,
  pinnedAllocRoundedUp,
  pinnedRegistrationCountLimit,
  pinnedMemoryHostOom,
  pinnedAllocFailsHostLimit,
];
