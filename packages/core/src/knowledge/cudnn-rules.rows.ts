import type { LibraryRuleRow } from './cudnn.types.ts';

/** How cuDNN is chosen and mixed. */
export const cudnnRules: readonly LibraryRuleRow[] = [
  { id: 'cuda-major', what: 'A build belongs to one CUDA major (cu11, cu12, cu13) and works with every minor that is listed for it.', confirmed: true, sources: ['cudnn-matrix-9-17-0', 'cudnn-matrix-9-10-2'] },
  { id: 'soname', what: '8 and 9 have different sonames and ABIs: a program built for one does not load the other.', confirmed: true, sources: ['onnxruntime-cuda'] },
  { id: 'within-9', what: 'Within 9 a newer library serves a program built with an older minor; what the framework asks for and what is loaded (cudnnGetVersion) should be compared.', confirmed: false, sources: ['jax-installation'] },
  { id: 'split-libraries', what: '9 is split into libraries for graph, ops, cnn, adv, engines and heuristic. All must be of one release; a mix shows as CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH or as a missing symbol.', confirmed: false, sources: ['cudnn-release-notes'] },
  { id: 'two-copies', what: 'Wheels bring their own copy in site-packages/nvidia/cudnn/lib. A system copy on LD_LIBRARY_PATH is found before it.', confirmed: false, sources: ['pytorch-manywheel-build'] },
  { id: 'cublas', what: 'cuDNN expects the cuBLAS of its CUDA major.', confirmed: true, sources: ['cuda-minor-version-compat'] },
  { id: 'static', what: 'Static linking is offered only for the CUDA versions that the matrix names.', confirmed: true, sources: ['cudnn-matrix-8-9-5', 'cudnn-matrix-9-5-1'] },
  { id: 'jax', what: 'JAX for CUDA 12 takes 9.8 up to 10; its CUDA 13 plugin pins 9.12.0.46 or newer.', confirmed: true, sources: ['jax-installation'] },
  { id: 'conda', what: 'conda-forge has no builds for CUDA 12 since 9.14; the nvidia channel still has.', confirmed: true, sources: ['conda-forge-cudnn-124', 'conda-forge-cudnn'] },
];
