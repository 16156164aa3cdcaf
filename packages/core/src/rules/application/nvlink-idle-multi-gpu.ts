import type { Rule } from '../../model/rule.ts';
import { seriesRule } from '../_series.ts';

export const nvlinkIdleMultiGpu: Rule = seriesRule({
  id: 'application/nvlink-idle-multi-gpu',
  summary: 'GPUs of one job exchange data over PCIe while NVLink is idle',
  citations: ['nccl-env', 'dcgm-fields'],
  remedies: [
    {
      actor: 'developer',
      do: 'see which transport NCCL takes and why; do not switch peer access off',
      command: 'NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,GRAPH ./app; env | grep NCCL_',
    },
    { actor: 'node-admin', do: 'see whether the links are up', command: 'nvidia-smi nvlink -s; nvidia-smi topo -m' },
  ],
});
