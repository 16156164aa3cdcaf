import type { Rule } from '../../model/rule.ts';
import { seriesRule } from '../_series.ts';

export const exporterAbsent: Rule = seriesRule({
  id: 'orchestrator/exporter-absent',
  summary: 'No metric of a GPU is exported',
  citations: ['dcgm-exporter'],
  remedies: [
    {
      actor: 'cluster-admin',
      do: 'see whether the exporter runs on the node and is scraped',
      command:
        'kubectl get pods -A -l app=nvidia-dcgm-exporter -o wide; curl -s localhost:9400/metrics | grep -c DCGM_',
    },
  ],
});
