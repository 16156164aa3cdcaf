import type { StatusLibraryRow } from './errors.types.ts';

/** Libraries whose statuses are known. */
export const statusLibraries: readonly StatusLibraryRow[] = [
  { library: 'cudnn8', type: 'cudnnStatus_t', applies: 'cuDNN 7/8', layer: 'cudnn', note: 'The numbers follow the order of the names; they were not read in a header.', confirmed: false, sources: ['cudnn-api', 'cudarc'] },
  { library: 'cudnn9', type: 'cudnnStatus_t', applies: 'cuDNN 9', layer: 'cudnn', note: 'Thousands are groups: 1000 general, 2000 bad parameter, 3000 not supported, 4000 internal, 5000 execution. Old names live on as aliases: ALLOC_FAILED is 4003, INVALID_VALUE 2001, ARCH_MISMATCH 3007, MAPPING_ERROR 4006, RUNTIME_PREREQUISITE_MISSING 3008, VERSION_MISMATCH 1002.', confirmed: true, sources: ['cudnn-api', 'cudarc'] },
  { library: 'cublas', type: 'cublasStatus_t', applies: 'cuBLAS and cuBLASLt', layer: 'toolkit', note: 'cuBLASLt uses the same type.', confirmed: true, sources: ['cublas-api', 'cudarc'] },
  { library: 'cufft', type: 'cufftResult', applies: 'cuFFT', layer: 'toolkit', note: null, confirmed: true, sources: ['cufft-api', 'cudarc'] },
  { library: 'cusolver', type: 'cusolverStatus_t', applies: 'cuSOLVER', layer: 'toolkit', note: null, confirmed: true, sources: ['cusolver-api', 'cudarc'] },
  { library: 'cusparse', type: 'cusparseStatus_t', applies: 'cuSPARSE', layer: 'toolkit', note: null, confirmed: true, sources: ['cusparse-api', 'cudarc'] },
  { library: 'nvrtc', type: 'nvrtcResult', applies: 'NVRTC', layer: 'toolkit', note: null, confirmed: true, sources: ['nvrtc-api', 'cudarc'] },
  { library: 'nvjitlink', type: 'nvJitLinkResult', applies: 'nvJitLink 12.0-13.4', layer: 'toolkit', note: null, confirmed: true, sources: ['nvjitlink-api', 'cuda-python-nvjitlink'] },
  { library: 'npp', type: 'NppStatus', applies: 'NPP', layer: 'toolkit', note: 'Below zero are errors, above zero warnings.', confirmed: true, sources: ['npp-api'] },
  { library: 'curand', type: 'curandStatus_t', applies: 'cuRAND', layer: 'toolkit', note: null, confirmed: true, sources: ['cudarc'] },
  { library: 'nvvm', type: 'nvvmResult', applies: 'libNVVM', layer: 'toolkit', note: null, confirmed: true, sources: ['cuda-jl'] },
  { library: 'dcgm', type: 'dcgmReturn_t', applies: 'DCGM 4.6', layer: 'driver', note: null, confirmed: true, sources: ['dcgm-structs'] },
];
