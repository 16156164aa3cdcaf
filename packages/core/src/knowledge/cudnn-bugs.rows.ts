import type { CudnnBugRow } from './cudnn.types.ts';

/** Known faults of cuDNN releases. */
export const cudnnBugs: readonly CudnnBugRow[] = [
  { range: { from: '9.17', below: '9.21' }, what: 'convolutions are slow on Turing', fixedIn: '9.21', confirmed: true, sources: ['cudnn-release-notes'] },
  { range: { from: null, below: '9.21.1' }, what: 'attention hangs and dropout crashes on Blackwell', fixedIn: '9.21.1', confirmed: true, sources: ['cudnn-release-notes'] },
  { range: { from: '9.22.0', below: '9.22.1' }, what: 'convolutions keep their memory until the program ends, and cublasLt is slow with CUDA 13.2.1', fixedIn: null, confirmed: true, sources: ['cudnn-release-notes'] },
];
