import type { CompatErrorRow } from './forward-compat.types.ts';

/** CUDA errors of version pairs that do not fit. */
export const compatErrors: readonly CompatErrorRow[] = [
  { code: 3, driver: null, runtime: 'cudaErrorInitializationError', meaning: 'With some pairs, a runtime on a driver that is too old.', confirmed: true, sources: ['cuda-compat-faq'] },
  { code: 35, driver: null, runtime: 'cudaErrorInsufficientDriver', meaning: 'The driver lies under the floor of the CUDA major.', confirmed: true, sources: ['cuda-minor-version-compat'] },
  { code: 36, driver: null, runtime: 'cudaErrorCallRequiresNewerDriver', meaning: 'The major fits, but this one call needs a newer driver.', confirmed: true, sources: ['cuda-minor-version-compat'] },
  { code: 209, driver: 'CUDA_ERROR_NO_BINARY_FOR_GPU', runtime: 'cudaErrorNoKernelImageForDevice', meaning: 'The binary has neither SASS nor usable PTX for the GPU.', confirmed: true, sources: ['cuda-minor-version-compat'] },
  { code: 222, driver: 'CUDA_ERROR_UNSUPPORTED_PTX_VERSION', runtime: 'cudaErrorUnsupportedPtxVersion', meaning: 'The PTX is newer than the JIT of the libcuda in use. A fitting compat package has a JIT of its own and cures it.', confirmed: true, sources: ['cuda-forward-compat', 'cuda-minor-version-compat'] },
  { code: 803, driver: 'CUDA_ERROR_SYSTEM_DRIVER_MISMATCH', runtime: 'cudaErrorSystemDriverMismatch', meaning: 'libcuda and the loaded kernel module are no pair: an upgrade without reload, driver libraries inside an image, or a compat package on a base that it does not support.', confirmed: true, sources: ['cuda-forward-compat'] },
  { code: 804, driver: 'CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE', runtime: 'cudaErrorCompatNotSupportedOnDevice', meaning: 'A compat libcuda is in use and at least one visible GPU is of a class that may not use it.', confirmed: true, sources: ['cuda-forward-compat'] },
];
