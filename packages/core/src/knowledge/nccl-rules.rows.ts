import type { LibraryRuleRow } from './cudnn.types.ts';

/** How NCCL is chosen and mixed. */
export const ncclRules: readonly LibraryRuleRow[] = [
  { id: 'driver', what: 'NCCL has no driver floor of its own: that of the CUDA major it was built for holds, and single features stay off under their gates.', confirmed: true, sources: ['nccl-source', 'cuda-minor-version-compat'] },
  { id: 'one-major', what: 'The CUDA major in the package name (cu11, cu12, cu13) or version (+cudaX.Y) must be that of the process.', confirmed: true, sources: ['conda-forge-nccl', 'nccl-notes-2-27-3'] },
  { id: 'which-copy', what: 'The copy that is loaded counts. torch finds its own in site-packages/nvidia/nccl/lib, but a system libnccl.so.2 or LD_PRELOAD can come first. NCCL_DEBUG=VERSION prints the loaded one, torch.cuda.nccl.version() the one of torch.', confirmed: false, sources: ['pytorch-manywheel-build'] },
  { id: 'all-ranks', what: 'All ranks of a job should load one release; a mix ends in bootstrap errors, truncated messages or a hang.', confirmed: false, sources: ['nccl-source'] },
  { id: 'pins', what: 'torch pins one release exactly, so a package that pins another cannot be installed beside it.', confirmed: true, sources: ['pytorch-release-matrix'] },
  { id: 'cuda-12-0-12-1', what: 'CUDA 12 builds from 2.27.7 on could crash with the libraries of 12.0 and 12.1; conda-forge asked for 12.2 for a while. Fixed by 2.28.9.', confirmed: false, sources: ['conda-forge-nccl'] },
  { id: 'cu13-13-3', what: 'The cu13 wheel of 2.30.7 was built with 13.3; a recipe reports error 209 from cuLinkAddData on branch 580 without cuda-compat-13-3.', confirmed: false, sources: ['pypi-nccl-cu13'] },
  { id: 'cupy', what: 'CuPy 14 takes 2.16 to 2.22 and 2.25 to 2.30.', confirmed: true, sources: ['cupy-install'] },
];
