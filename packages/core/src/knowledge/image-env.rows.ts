import type { ImageEnvRow } from './images.types.ts';

/** Variables that images set. */
export const imageEnv: readonly ImageEnvRow[] = [
  { images: 'nvidia/cuda', name: 'NVIDIA_VISIBLE_DEVICES', value: 'all', sinceMajor: null, confirmed: true, sources: ['cuda-dockerfiles-mirror', 'cuda-dockerfiles'] },
  { images: 'nvidia/cuda', name: 'NVIDIA_DRIVER_CAPABILITIES', value: 'compute,utility', sinceMajor: null, confirmed: true, sources: ['cuda-dockerfiles-mirror', 'cuda-dockerfiles'] },
  { images: 'nvidia/cuda', name: 'LD_LIBRARY_PATH', value: '/usr/local/nvidia/lib:/usr/local/nvidia/lib64', sinceMajor: null, confirmed: true, sources: ['cuda-dockerfiles-mirror', 'cuda-dockerfiles'] },
  { images: 'nvidia/cuda', name: 'LD_LIBRARY_PATH', value: '/usr/local/nvidia/lib:/usr/local/nvidia/lib64:/usr/local/cuda/lib64', sinceMajor: 13, confirmed: false, sources: ['cuda-dockerfiles-mirror', 'cuda-dockerfiles'] },
  { images: 'ngc-framework', name: 'NVIDIA_REQUIRE_CUDA', value: 'cuda>=9.0', sinceMajor: null, confirmed: false, sources: ['rapids-deployment'] },
];
