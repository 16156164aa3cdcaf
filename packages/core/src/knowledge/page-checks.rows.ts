import type { PageCheckRow } from './forward-compat.types.ts';

/** Statements of a widely read operator page, held against the sources. */
export const pageChecks: readonly PageCheckRow[] = [
  { id: 'minimum-per-minor', rule: 'backward', pageSays: 'every CUDA minor has a minimum driver', sourcesSay: 'That is the driver packaged with a toolkit. To run, one floor holds for the whole major since 11: 450.80.02, 525.60.13 and 580 for 11, 12 and 13.', verdict: 'incomplete', confirmed: true, sources: ['cuda-minor-version-compat', 'cuda-release-notes', 'uv-torch-backend'] },
  { id: 'compat-same-major', rule: 'forward', pageSays: 'forward compatibility stays within a CUDA major', sourcesSay: 'It is there to cross majors: cuda-compat-13-4 serves hosts of branch 535. Only the matrix decides.', verdict: 'wrong', confirmed: true, sources: ['cuda-forward-compat'] },
  { id: 'compat-data-center', rule: 'forward', pageSays: 'forward compatibility is for data-center GPUs only', sourcesSay: 'Named NGC-Server-Ready RTX boards and Jetson, with its own packages, as well.', verdict: 'incomplete', confirmed: true, sources: ['cuda-forward-compat'] },
  { id: 'compat-12-6-on-535', rule: 'forward', pageSays: 'a 12.6 container runs on a 535 host with the compat package', sourcesSay: 'So it does.', verdict: 'right', confirmed: true, sources: ['cuda-forward-compat'] },
  { id: 'compat-files', rule: 'forward', pageSays: 'the list of files in the package', sourcesSay: 'It lacks libnvidia-nvvm, libcudadebugger, libnvidia-pkcs11 and, from 13.4, libnvidia-gpucomp and libnvidia-tileiras.', verdict: 'incomplete', confirmed: true, sources: ['cuda-forward-compat'] },
  { id: '580-is-12-8', rule: 'minor-version', pageSays: 'driver 580 serves CUDA 12.8', sourcesSay: 'Branch 580 serves 13.0; 12.8 is branch 570.', verdict: 'wrong', confirmed: true, sources: ['cuda-release-notes', 'driver-architecture-matrix', 'cuda-forward-compat'] },
  { id: 'cu124-on-580', rule: 'minor-version', pageSays: 'a cu124 wheel on driver 580 shows minor version compatibility', sourcesSay: 'That is plain backward compatibility. A 12.8 build on branch 535 would show it: 535 lies above the floor of 12.', verdict: 'wrong', confirmed: true, sources: ['cuda-minor-version-compat'] },
  { id: 'jit-direction', rule: 'minor-version', pageSays: 'PTX JIT may be required', sourcesSay: 'The other way round: under minor version compatibility newer PTX cannot be compiled at load time, and SASS must be there.', verdict: 'wrong', confirmed: true, sources: ['cuda-minor-version-compat'] },
  { id: 'cudnn-9-cuda-12', rule: 'cudnn', pageSays: 'cuDNN 9 needs CUDA 12', sourcesSay: 'Builds for CUDA 11 go up to 9.10.2.', verdict: 'wrong', confirmed: true, sources: ['cudnn-matrix-9-10-2', 'conda-forge-cudnn'] },
  { id: 'b200-sms', rule: 'hardware', pageSays: 'a B200 has about 148 SMs on each die', sourcesSay: '148 are what the whole GPU with its two dies shows.', verdict: 'wrong', confirmed: true, sources: ['quickruncuda'] },
];
