import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { ncclTopologyWrong } from './nccl-topology-wrong.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved',
    'fault proved',
    'NCCL WARN Could not open XML topology file /etc/nccl/topo.xml : No such file or directory',
  ],
  [
    'fault proved without a reason',
    'fault proved',
    'NCCL WARN Could not open XML topology file /var/run/nvidia-topologyd/virtualTopology.xml',
  ],
  ['silent on the variable alone', 'silent', 'NCCL_TOPO_FILE=/etc/nccl/topo.xml'],
];

describe('nccl/nccl-topology-wrong', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(ncclTopologyWrong, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
