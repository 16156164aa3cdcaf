import type { Rule } from '../../model/rule.ts';
import { seriesRule } from '../_series.ts';

export const stragglerRankInput: Rule = seriesRule({
  id: 'application/straggler-rank-input',
  summary: 'One rank waits for its input, and all others wait for it',
  citations: ['pytorch-multiprocessing'],
  explains: ['application/input-pipeline-bound'],
  remedies: [
    {
      actor: 'developer',
      do: 'look at the loader of that rank: its shard, its workers, its files',
      command: 'py-spy dump --pid PID',
    },
    { actor: 'cluster-admin', do: 'compare CPU cores and storage of that rank with the others' },
  ],
});
