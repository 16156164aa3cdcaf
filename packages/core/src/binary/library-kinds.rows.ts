// CUDA libraries by the SONAME that begins like this, and where their bytes tell the version. Read in the files of the
// vendor's Python packages (CUDA 11.8 to 13.4) and of Debian (CUDA 11.8, driver 535).

export interface LibraryKind {
  /** The part between `lib` and `.so`. */
  readonly name: string;
  /** Functions whose code, or objects whose bytes, hold the version as a number. */
  readonly symbols: readonly string[];
  /** Text in the file, right before the version. */
  readonly text: 'release' | 'nccl' | 'runtime' | 'driver' | null;
  /** A library beside it, of the same release, that tells the version where this one does not. */
  readonly beside: readonly string[];
}

const cudnnParts = [
  'cudnn_graph',
  'cudnn_ops',
  'cudnn_ops_infer',
  'cudnn_ops_train',
  'cudnn_cnn_infer',
  'cudnn_adv',
  'cudnn_adv_infer',
];

const cudnnPart = (name: string): LibraryKind => ({
  name,
  symbols: [
    'cudnn_graph_version',
    'cudnn_ops_infer_version',
    'cudnn_ops_train_version',
    'cudnn_cnn_infer_version',
    'cudnn_cnn_train_version',
    'cudnn_adv_infer_version',
    'cudnn_adv_train_version',
    'cudnnOpsVersionCheck',
    'cudnnCnnVersionCheck',
    'cudnnAdvVersionCheck',
    'cudnnGraphVersionCheck',
    'cudnnOpsInferVersionCheck',
    'cudnnOpsTrainVersionCheck',
    'cudnnCnnInferVersionCheck',
    'cudnnCnnTrainVersionCheck',
    'cudnnAdvInferVersionCheck',
    'cudnnAdvTrainVersionCheck',
  ],
  text: null,
  beside: cudnnParts.filter((part) => part !== name),
});

export const libraryKinds: readonly LibraryKind[] = [
  { name: 'cudart', symbols: [], text: 'runtime', beside: [] },
  { name: 'cublas', symbols: [], text: null, beside: ['cublasLt'] },
  { name: 'cublasLt', symbols: ['cublasLtGetVersion'], text: null, beside: [] },
  { name: 'nvblas', symbols: [], text: null, beside: ['cublasLt'] },
  { name: 'cudnn', symbols: [], text: null, beside: cudnnParts },
  ...[
    'cudnn_graph',
    'cudnn_ops',
    'cudnn_cnn',
    'cudnn_adv',
    'cudnn_ops_infer',
    'cudnn_ops_train',
    'cudnn_cnn_infer',
    'cudnn_cnn_train',
    'cudnn_adv_infer',
    'cudnn_adv_train',
    'cudnn_heuristic',
    'cudnn_ext',
    'cudnn_engines_precompiled',
    'cudnn_engines_runtime_compiled',
    'cudnn_engines_tensor_ir',
  ].map(cudnnPart),
  { name: 'nccl', symbols: ['ncclGetVersion'], text: 'nccl', beside: [] },
  { name: 'cuda', symbols: [], text: 'driver', beside: [] },
  { name: 'nvidia-ml', symbols: [], text: 'driver', beside: [] },
  { name: 'nvidia-ptxjitcompiler', symbols: [], text: 'driver', beside: [] },
  { name: 'nvidia-nvvm', symbols: [], text: 'driver', beside: [] },
  { name: 'nvJitLink', symbols: [], text: 'release', beside: [] },
  { name: 'nvrtc', symbols: [], text: 'release', beside: [] },
  { name: 'nvrtc-builtins', symbols: [], text: 'release', beside: ['nvrtc'] },
  { name: 'nvvm', symbols: [], text: 'release', beside: [] },
  { name: 'nvfatbin', symbols: [], text: 'release', beside: [] },
  { name: 'cusparse', symbols: ['cusparseGetVersion'], text: null, beside: [] },
  { name: 'cusolver', symbols: ['cusolverGetVersion'], text: null, beside: [] },
  { name: 'cusolverMg', symbols: [], text: null, beside: ['cusolver'] },
  { name: 'cufft', symbols: ['cufftGetVersion'], text: null, beside: [] },
  { name: 'cufftw', symbols: [], text: null, beside: ['cufft'] },
  { name: 'curand', symbols: ['curandGetVersion'], text: null, beside: [] },
  { name: 'cupti', symbols: [], text: null, beside: [] },
  { name: 'cufile', symbols: [], text: null, beside: [] },
  { name: 'nvToolsExt', symbols: [], text: null, beside: [] },
  { name: 'nvjpeg', symbols: [], text: null, beside: [] },
  { name: 'nvinfer', symbols: ['getInferLibVersion'], text: null, beside: [] },
  { name: 'nvinfer_plugin', symbols: [], text: null, beside: ['nvinfer'] },
  { name: 'nvonnxparser', symbols: [], text: null, beside: ['nvinfer'] },
  { name: 'cutensor', symbols: ['cutensorGetVersion'], text: null, beside: [] },
  { name: 'cusparseLt', symbols: [], text: null, beside: [] },
  { name: 'nvshmem_host', symbols: [], text: null, beside: [] },
];
