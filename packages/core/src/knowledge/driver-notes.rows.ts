import type { DriverNoteRow } from './branches.types.ts';

/** Points about driver branches that are not about one of them. */
export const driverNotes: readonly DriverNoteRow[] = [
  { id: 'operator-images', what: 'Driver images that the GPU Operator offers now: 580.178.04, 595.91.07 and 610.57.04; release 26.7.0 takes 595.91.07.', confirmed: true, sources: ['driver-container', 'gpu-operator-docs'] },
  { id: 'branch-kinds', what: 'Long-term branches live about three years, production branches about one, new-feature branches end when the next one comes.', confirmed: true, sources: ['driver-support-620', 'endoflife-nvidia'] },
  { id: 'reported-cuda', what: 'The CUDA version in the nvidia-smi banner is that of the libcuda it found. In a container with a compat libcuda it is the compat one, not the host.', confirmed: true, sources: ['cuda-forward-compat', 'container-toolkit-source'] },
];
