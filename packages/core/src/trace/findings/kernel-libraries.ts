/** Which library a kernel is of, by its name, the deciding ones first. */
const libraries: readonly (readonly [RegExp, string])[] = [
  [/^nccl/, 'NCCL'],
  [/cudnn|implicit_convolve|xmma_fprop|xmma_dgrad|xmma_wgrad/i, 'cuDNN'],
  [/cublas|cutlass|_gemm_|^sm\d+_xmma|gemv|nvjet/i, 'cuBLAS'],
  [/cufft|\bregular_fft|vector_fft/i, 'cuFFT'],
  [/cusparse|csrmv|spmm/i, 'cuSPARSE'],
  [/thrust|cub::/i, 'CUB'],
  [/at::native|at::cuda/, 'PyTorch'],
  [/^triton_/, 'Triton'],
];

/** The library that a kernel's name tells of; null where it is the program's own. */
export function libraryOfKernel(name: string): string | null {
  const cut = name.slice(0, 400);
  return libraries.find(([test]) => test.test(cut))?.[1] ?? null;
}
