/** Which signature speaks for a CUDA error code. */
export interface CudaCodeRow {
  readonly signature: string;
  /** Codes of the CUDA 10.1 numbering and later, runtime and driver alike. */
  readonly codes: readonly number[];
  /** Numbers of the runtime before CUDA 10.1 that mean the same and mean nothing else today. */
  readonly oldCodes: readonly number[];
}

/** Codes that a hand-written signature covers; every other code has `cuda-error-<code>`. Old numbers: CUDA 9 driver_types.h. */
export const cudaCodes: readonly CudaCodeRow[] = [
  { signature: 'cuda-oom-runtime', codes: [2], oldCodes: [] },
  { signature: 'cuda-initialization-error', codes: [3], oldCodes: [] },
  { signature: 'cuda-driver-shutting-down', codes: [4], oldCodes: [29] },
  { signature: 'cuda-invalid-configuration', codes: [9], oldCodes: [] },
  { signature: 'cuda-stub-library', codes: [34], oldCodes: [] },
  { signature: 'cuda-insufficient-driver', codes: [35], oldCodes: [] },
  { signature: 'cuda-call-requires-newer-driver', codes: [36], oldCodes: [] },
  { signature: 'cuda-devices-unavailable', codes: [46], oldCodes: [] },
  { signature: 'cuda-invalid-device-function', codes: [98], oldCodes: [] },
  { signature: 'cuda-no-device', codes: [100], oldCodes: [38] },
  { signature: 'cuda-invalid-device-ordinal', codes: [101], oldCodes: [10] },
  { signature: 'cuda-not-licensed', codes: [102], oldCodes: [] },
  { signature: 'cuda-invalid-kernel-image', codes: [200], oldCodes: [47] },
  { signature: 'cuda-no-kernel-image', codes: [209], oldCodes: [48] },
  { signature: 'cuda-ecc-uncorrectable', codes: [214], oldCodes: [39] },
  { signature: 'cuda-exclusive-thread', codes: [216], oldCodes: [] },
  { signature: 'cuda-peer-access-unsupported', codes: [217], oldCodes: [64] },
  { signature: 'cuda-invalid-ptx', codes: [218], oldCodes: [78] },
  { signature: 'cuda-nvlink-uncorrectable', codes: [220], oldCodes: [80] },
  { signature: 'cuda-jit-compiler-not-found', codes: [221], oldCodes: [81] },
  { signature: 'cuda-unsupported-ptx-toolchain', codes: [222], oldCodes: [] },
  { signature: 'cuda-contained-error', codes: [226], oldCodes: [] },
  { signature: 'cuda-shared-object-symbol', codes: [302, 303], oldCodes: [40, 41] },
  { signature: 'cuda-os-call-failed', codes: [304], oldCodes: [63] },
  { signature: 'cuda-named-symbol-not-found', codes: [500], oldCodes: [] },
  { signature: 'cuda-illegal-memory-access', codes: [700], oldCodes: [77] },
  { signature: 'cuda-too-many-resources', codes: [701], oldCodes: [] },
  { signature: 'cuda-launch-timeout', codes: [702], oldCodes: [] },
  { signature: 'cuda-context-destroyed', codes: [709], oldCodes: [] },
  { signature: 'cuda-device-side-assert', codes: [710], oldCodes: [59] },
  { signature: 'cuda-illegal-instruction', codes: [715], oldCodes: [73] },
  { signature: 'cuda-misaligned-address', codes: [716], oldCodes: [74] },
  { signature: 'cuda-unspecified-launch-failure', codes: [719], oldCodes: [] },
  { signature: 'cuda-cooperative-too-large', codes: [720], oldCodes: [82] },
  { signature: 'cuda-operation-not-permitted', codes: [800], oldCodes: [70] },
  { signature: 'cuda-operation-not-supported', codes: [801], oldCodes: [71] },
  { signature: 'cuda-system-not-ready', codes: [802], oldCodes: [] },
  { signature: 'cuda-system-driver-mismatch', codes: [803], oldCodes: [] },
  { signature: 'cuda-forward-compat-unsupported-hw', codes: [804], oldCodes: [] },
  { signature: 'cuda-mps-connection-failed', codes: [805], oldCodes: [] },
  { signature: 'cuda-mps-other', codes: [806, 807, 808, 809, 810], oldCodes: [] },
  { signature: 'cuda-graph-capture-unsupported', codes: [900, 901, 902, 903, 904, 905, 906, 907, 908], oldCodes: [] },
  { signature: 'cuda-unknown-error', codes: [999], oldCodes: [30] },
];

/**
 * Printed texts that other programs use too: they count only with a CUDA word before them on the line. All other texts
 * of the table speak for themselves.
 */
export const ambiguousCudaTexts: readonly string[] = [
  'invalid argument',
  'initialization error',
  'driver shutting down',
  'profiler already started',
  'profiler already stopped',
  'feature not yet implemented',
  'array is mapped',
  'resource already mapped',
  'resource not mapped',
  'resource already acquired',
  'context already current',
  'file not found',
  'invalid resource handle',
  'device not ready',
  'context is destroyed',
  'hardware stack error',
  'misaligned address',
  'invalid program counter',
  'operation not permitted',
  'operation not supported',
  'wait operation timed out',
  'integrity checks failed',
  'unknown error',
  'named symbol not found',
  'invalid host pointer',
  'invalid device pointer',
  'api failure base',
];
