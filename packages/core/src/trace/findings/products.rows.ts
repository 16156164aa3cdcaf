/** How kernels of matrix products and convolutions name what they compute on. */
interface ProductNameRow {
  readonly unit: 'tensor' | 'plain' | 'double' | 'other';
  /** Part of a name in lower case; the first row that fits decides. */
  readonly has: string;
  /** Whose kernels these are. */
  readonly of: string;
}

/** Names of cuBLAS, cuDNN, CUTLASS, MAGMA, FlashAttention and TensorRT, the deciding ones first. */
export const productNames: readonly ProductNameRow[] = [
  // instructions in the name
  { unit: 'tensor', has: 'hmma', of: 'half precision on tensor cores' },
  { unit: 'tensor', has: 'gmma', of: 'tensor cores of Hopper' },
  { unit: 'tensor', has: 'imma', of: 'integers on tensor cores' },
  { unit: 'tensor', has: 'tcgen05', of: 'tensor cores of Blackwell' },
  { unit: 'tensor', has: '_wmma', of: 'CUTLASS, warp matrix instructions' },
  { unit: 'tensor', has: 's884', of: 'shape of an instruction of tensor cores' },
  { unit: 'tensor', has: 'h884', of: 'shape of an instruction of tensor cores' },
  { unit: 'tensor', has: 's1688', of: 'shape of an instruction of tensor cores' },
  { unit: 'tensor', has: 'h1688', of: 'shape of an instruction of tensor cores' },
  { unit: 'tensor', has: 's16816', of: 'shape of an instruction of tensor cores' },
  { unit: 'tensor', has: 'h16816', of: 'shape of an instruction of tensor cores' },
  { unit: 'tensor', has: 'i8816', of: 'integers on tensor cores' },
  { unit: 'tensor', has: 'i16832', of: 'integers on tensor cores' },
  { unit: 'tensor', has: 'd884', of: 'double precision on tensor cores' },
  { unit: 'tensor', has: 'dmma', of: 'double precision on tensor cores' },
  { unit: 'tensor', has: 'tensorop', of: 'CUTLASS and cuBLAS' },
  { unit: 'tensor', has: 'tf32', of: 'TF32 exists on tensor cores only' },
  { unit: 'tensor', has: 'nvjet', of: 'cuBLAS on Hopper and Blackwell' },
  { unit: 'tensor', has: 'flash_fwd', of: 'FlashAttention' },
  { unit: 'tensor', has: 'flash_bwd', of: 'FlashAttention' },
  { unit: 'tensor', has: 'fmha', of: 'fused attention' },
  // double precision is wanted for itself
  { unit: 'double', has: 'dgemm', of: 'double precision' },
  { unit: 'double', has: 'zgemm', of: 'double complex' },
  { unit: 'double', has: 'f64f64', of: 'double precision' },
  { unit: 'double', has: 'gemm<double', of: 'double precision' },
  { unit: 'double', has: 'kernel<double', of: 'cuBLAS, double precision' },
  { unit: 'double', has: 'kernel<int, double', of: 'cuBLAS, double precision' },
  // products that have no form on tensor cores, or are bound by memory
  { unit: 'other', has: 'gemv', of: 'matrix times vector' },
  { unit: 'other', has: 'igemm', of: 'integers' },
  { unit: 'other', has: 'i8i8', of: 'integers' },
  { unit: 'other', has: 'cgemm', of: 'complex' },
  { unit: 'other', has: 'depthwise', of: 'convolution of single channels' },
  { unit: 'other', has: 'dgrad_direct', of: 'convolution of single channels' },
  // float32 on ordinary cores
  { unit: 'plain', has: 'simt_sgemm', of: 'CUTLASS and cuBLAS' },
  { unit: 'plain', has: 'ffma', of: 'cuBLAS and cuDNN' },
  { unit: 'plain', has: 'sgemm', of: 'cuBLAS, MAGMA, cuDNN' },
  { unit: 'plain', has: 'scudnn', of: 'cuDNN' },
  { unit: 'plain', has: 'gemmsn', of: 'cuBLAS' },
  { unit: 'plain', has: 'gemmk1_kernel<int, float', of: 'cuBLAS' },
  { unit: 'plain', has: 'simt_s', of: 'CUTLASS' },
  { unit: 'plain', has: 'winograd', of: 'cuDNN' },
  // built for tensor cores unless a row above says otherwise
  { unit: 'tensor', has: 'xmma', of: 'TensorRT and cuDNN' },
  { unit: 'tensor', has: 'cutlass_80', of: 'CUTLASS' },
  { unit: 'tensor', has: 'cutlass3x_sm', of: 'CUTLASS' },
];
