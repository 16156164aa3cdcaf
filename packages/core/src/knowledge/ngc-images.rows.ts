import type { NgcImageRow } from './images.types.ts';

/** Other images whose content is known. */
export const ngcImages: readonly NgcImageRow[] = [
  { image: 'nvidia/cuda-dl-base', tag: '26.03', cuda: '13.2.0', cudnn: '9.20.0.48', nccl: '2.29.7', driverText: null, confirmed: true, sources: ['ngc-cuda-dl-26-03'] },
  { image: 'nvidia/sglang', tag: '26.05', cuda: '13.2.1', cudnn: null, nccl: null, driverText: '570 or later, or 470, 525, 535 and 550, which is stale: CUDA 13 needs 580', confirmed: true, sources: ['ngc-sglang-26-05'] },
];
