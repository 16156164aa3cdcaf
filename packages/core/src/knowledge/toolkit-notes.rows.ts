import type { ToolkitNoteRow } from './toolkits.types.ts';

/** What a toolkit release changed about the rules. */
export const toolkitNotes: readonly ToolkitNoteRow[] = [
  { id: 'two-tables', since: '11.0', what: 'The release notes list two drivers from here on: the one packaged with the toolkit, and one minimum for the whole major. Only the second is needed to run.', confirmed: true, sources: ['cuda-release-notes', 'cuda-minor-version-compat'] },
  { id: 'kepler-ends', since: '12.0', what: 'The compiler no longer knows Kepler (3.5, 3.7); 11.8 was the last that did.', confirmed: true, sources: ['cuda-release-notes', 'cuda-jl-compatibility'] },
  { id: 'no-12-7', since: '12.7', what: 'There is no public 12.7 toolkit, yet drivers of branch 565 report 12.7.', confirmed: true, sources: ['cuda-jl-compatibility', 'driver-architecture-matrix'] },
  { id: 'volta-ends', since: '12.9', what: 'Last toolkit that compiles and has libraries for Maxwell, Pascal and Volta (5.0 to 7.2).', confirmed: true, sources: ['cuda-release-notes', 'cuda-jl-compatibility'] },
  { id: 'turing-minimum', since: '13.0', what: 'Turing (7.5) is the oldest GPU. Jetson Thor changes its number from 10.1 to 11.0.', confirmed: true, sources: ['cuda-release-notes', 'cuda-jl-compatibility'] },
  { id: 'no-windows-driver', since: '13.1', what: 'The Windows package comes without a driver; the notes name none for any 13.x.', confirmed: true, sources: ['cuda-release-notes-13-2-2'] },
  { id: 'reconvergence-fix', since: '13.2.2', what: 'Repairs wrong results of divergent code, a compiler fault of 12.8 to 13.2.1, and NVFP4 scaling in cublasLt of 13.2.1.', confirmed: true, sources: ['cuda-release-notes-13-2-2'] },
  { id: 'uvm-hmm', since: '13.0', what: 'On some kernels nvidia-uvm does not start with heterogeneous memory management on; its module option uvm_disable_hmm=1 turns that off.', confirmed: true, sources: ['cuda-release-notes-13-2-2'] },
  { id: 'no-linux-driver', since: '13.4', what: 'The Linux package comes without a driver as well. The first release is 13.4.1: 13.4.0 was a preview, and the third number counts builds now.', confirmed: true, sources: ['cuda-release-notes-13-4-1'] },
];
