import type { CompatRuleRow } from './forward-compat.types.ts';

/** How forward compatibility is used and read. */
export const compatRules: readonly CompatRuleRow[] = [
  { id: 'legend', what: 'A base branch that the matrix does not show is a branch whose life has ended or a new-feature branch: not supported as a base.', confirmed: true, sources: ['cuda-forward-compat'] },
  { id: 'examples', what: 'By example: cuda-compat-12-4 serves a 535 host; on 550 it brings nothing, as the driver is that release; cuda-compat-12-3 is not meant for 550.', confirmed: true, sources: ['cuda-forward-compat'] },
  { id: 'feature-base', what: 'The table of features speaks of bases from 580 (13.x packages), 525 (12.x) and 450 (11.x) on; lower bases of the matrix start, too.', confirmed: true, sources: ['cuda-forward-compat'] },
  { id: 'search-path', what: 'The folder takes effect through LD_LIBRARY_PATH or another search path entry. Take it off again after a full driver upgrade.', confirmed: true, sources: ['cuda-forward-compat'] },
  { id: 'bases', what: 'Only long-term and production branches are bases; within one, each build from the listed one on.', confirmed: true, sources: ['cuda-forward-compat', 'cuda-compat-faq'] },
  { id: 'ngc-unavailable', what: 'An NGC image that says "compatibility mode is UNAVAILABLE" met a base outside its list, or a GPU outside the data-center line.', confirmed: true, sources: ['cuda-compat-faq'] },
  { id: 'conda', what: 'The conda package cuda-compat lies in CONDA_PREFIX/cuda-compat and does nothing until that is on the search path.', confirmed: true, sources: ['conda-forge-cuda-compat'] },
  { id: 'vllm', what: 'VLLM_ENABLE_CUDA_COMPATIBILITY makes vLLM load the compat libraries first.', confirmed: true, sources: ['vllm-docs'] },
  { id: 'elf-note', what: 'From about branch 575 on, a compat libcuda says in the ELF section .note.cuda.fwd_compatibility (owner NVIDIA Corporation, JSON) for which host branches it is made. This list is the most exact one there is.', confirmed: true, sources: ['container-toolkit-source'] },
  { id: 'elf-note-wider', what: 'Those lists also name new-feature branches that the documentation leaves out: such a host may run, but the pair is not supported.', confirmed: true, sources: ['container-toolkit-source'] },
];
