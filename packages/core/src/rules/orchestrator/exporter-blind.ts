import type { Rule } from '../../model/rule.ts';
import { seriesRule } from '../_series.ts';

export const exporterBlind: Rule = seriesRule({
  id: 'orchestrator/exporter-blind',
  summary: 'The exporter reports zeros for a GPU that is in use',
  citations: ['dcgm-exporter'],
  remedies: [
    {
      actor: 'cluster-admin',
      do: 'compare with what the driver says on the node, and restart the exporter',
      command: 'nvidia-smi dmon -s pu -c 5; kubectl rollout restart -n gpu-operator daemonset/nvidia-dcgm-exporter',
    },
  ],
});
