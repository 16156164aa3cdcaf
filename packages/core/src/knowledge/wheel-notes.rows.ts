import type { LibraryRuleRow } from './cudnn.types.ts';

/** How to read the wheel tables. */
export const wheelNotes: readonly LibraryRuleRow[] = [
  { id: 'ptx', what: 'Where PTX is listed, it is that of the last architecture (12.0): newer GPUs are then served by JIT on Linux. Builds up to cu126 have none, so a GPU of a newer major finds no kernel image.', confirmed: true, sources: ['pytorch-build-env', 'pytorch-manywheel-build'] },
  { id: 'arch-list', what: 'The list is not the set of GPUs that work: sm_86 code runs on 8.7 and 8.9, sm_50 on 5.2, sm_60 on 6.1, sm_100 on 10.3, sm_120 on 12.1.', confirmed: true, sources: ['pytorch-release-matrix', 'blackwell-compatibility-guide'] },
  { id: 'volta', what: 'Volta is served by cu126 up to 2.14 and by cu128 and cu129 up to 2.10. Maxwell and Pascal: cu126 only, since 2.8.', confirmed: true, sources: ['pytorch-release-matrix', 'pytorch-drops-volta', 'pytorch-pr-175253'] },
  { id: 'driver-13', what: 'cu13x wheels need driver 580 on every GPU; data-center hosts on 535 or 570 can use cuda-compat instead.', confirmed: true, sources: ['cuda-minor-version-compat', 'cuda-forward-compat', 'uv-torch-backend'] },
  { id: 'library-folders', what: 'Wheels of CUDA 13 share the folder nvidia/cu13/lib; those of 12 have one for each library, such as nvidia/cublas/lib.', confirmed: true, sources: ['pytorch-manywheel-build'] },
  { id: 'local-version', what: 'A torch wheel of PyPI has no +cuXYZ in its version. torch.version.cuda or the nvidia-*-cuNN requirements tell its CUDA.', confirmed: false, sources: ['pytorch-release-matrix'] },
  { id: 'threads', what: 'Reports that show the usual trouble: a new default wheel on an old driver, missing architectures, libraries in conflict.', confirmed: false, sources: ['pytorch-157517', 'pytorch-172352', 'pytorch-178665', 'pytorch-172663'] },
  { id: 'triton-pairs', what: 'Triton 3.3 goes with torch 2.7, 3.4 with 2.8, 3.5 with 2.9. It compiles with a ptxas of its own.', confirmed: true, sources: ['triton-compiler'] },
];
