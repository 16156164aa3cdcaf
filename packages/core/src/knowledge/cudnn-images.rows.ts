import type { CudnnImageRow } from './cudnn.types.ts';

/** cuDNN in the nvidia/cuda images that have it. */
export const cudnnImages: readonly CudnnImageRow[] = [
  { image: 'nvidia/cuda:11.4.3-cudnn', cudnn: '8.2.4.15', confirmed: true, sources: ['cuda-dockerfiles-mirror', 'cuda-dockerfiles'] },
  { image: 'nvidia/cuda:11.5.2-cudnn', cudnn: '8.3.3.40', confirmed: true, sources: ['cuda-dockerfiles-mirror', 'cuda-dockerfiles'] },
  { image: 'nvidia/cuda:11.6.2-cudnn', cudnn: '8.4.0.27', confirmed: true, sources: ['cuda-dockerfiles-mirror', 'cuda-dockerfiles'] },
  { image: 'nvidia/cuda:11.7.1-cudnn', cudnn: '8.5.0.96', confirmed: true, sources: ['cuda-dockerfiles-mirror', 'cuda-dockerfiles'] },
  { image: 'nvidia/cuda:11.8.0-cudnn', cudnn: '8.9.6.50', confirmed: true, sources: ['cuda-dockerfiles-mirror', 'cuda-dockerfiles'] },
  { image: 'nvidia/cuda:12.0.1-cudnn', cudnn: '8.8.0.121', confirmed: true, sources: ['cuda-dockerfiles-mirror', 'cuda-dockerfiles'] },
  { image: 'nvidia/cuda:12.1.1-cudnn', cudnn: '8.9.0.131', confirmed: true, sources: ['cuda-dockerfiles-mirror', 'cuda-dockerfiles'] },
  { image: 'nvidia/cuda:12.2.2-cudnn', cudnn: '8.9.6.50', confirmed: true, sources: ['cuda-dockerfiles-mirror', 'cuda-dockerfiles'] },
  { image: 'nvidia/cuda:12.4.1-cudnn', cudnn: '9.1.0.70', confirmed: true, sources: ['cuda-dockerfiles-mirror', 'cuda-dockerfiles'] },
  { image: 'nvidia/cuda:12.5.1-cudnn', cudnn: '9.2.1.18', confirmed: true, sources: ['cuda-dockerfiles-mirror', 'cuda-dockerfiles'] },
  { image: 'nvidia/cuda:12.6.3-cudnn', cudnn: '9.5.1.17', confirmed: true, sources: ['cuda-dockerfiles-mirror', 'cuda-dockerfiles'] },
];
