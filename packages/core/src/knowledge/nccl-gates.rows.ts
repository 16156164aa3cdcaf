import type { NcclGateRow } from './nccl.types.ts';

/** Features that NCCL turns on by the CUDA version of the driver. */
export const ncclGates: readonly NcclGateRow[] = [
  { id: 'dma-buf', feature: 'GPUDirect RDMA through DMA-BUF', minDriverCuda: '11.7', minToolkit: null, readAt: '2.30.7', note: 'The open kernel module is needed too.', confirmed: true, sources: ['nccl-source'] },
  { id: 'cumem', feature: 'cuMem allocations, NVLS and multi-node NVLink', minDriverCuda: '12.0', minToolkit: null, readAt: '2.30.7', note: null, confirmed: true, sources: ['nccl-source'] },
  { id: 'sync-domains', feature: 'memory synchronisation domains', minDriverCuda: '12.0', minToolkit: null, readAt: '2.30.7', note: 'On compute capability 9.0 and later.', confirmed: true, sources: ['nccl-source'] },
  { id: 'cumem-host', feature: 'cuMem allocations in host memory', minDriverCuda: '12.2', minToolkit: null, readAt: '2.30.7', note: 'On by default from 12.6. Without SYS_NICE in a container get_mempolicy fails and /dev/shm is used instead; NCCL_CUMEM_HOST_ENABLE=0 turns it off.', confirmed: true, sources: ['nccl-source'] },
  { id: 'launch-completion', feature: 'launch completion events', minDriverCuda: '12.3', minToolkit: null, readAt: '2.30.7', note: null, confirmed: true, sources: ['nccl-source'] },
  { id: 'copy-engine', feature: 'one-sided operations and collectives by copy engine', minDriverCuda: '12.5', minToolkit: null, readAt: '2.30.7', note: null, confirmed: true, sources: ['nccl-source'] },
  { id: 'copy-engine-batch', feature: 'batched copies by copy engine', minDriverCuda: '12.8', minToolkit: null, readAt: '2.30.7', note: null, confirmed: true, sources: ['nccl-source'] },
  { id: 'blackwell-path', feature: 'a path for compute capability 10.x', minDriverCuda: '13.0', minToolkit: null, readAt: '2.30.7', note: null, confirmed: true, sources: ['nccl-source'] },
  { id: 'device-api', feature: 'the device API', minDriverCuda: null, minToolkit: '12.2', readAt: '2.30.7', note: null, confirmed: true, sources: ['nccl-source'] },
];
