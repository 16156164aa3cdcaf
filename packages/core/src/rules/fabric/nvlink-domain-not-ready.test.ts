import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { nvlinkDomainNotReady } from './nvlink-domain-not-ready.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved when CUDA waits',
    'fault proved',
    'CUDA error: system not yet initialized\n$ nvidia-smi -q\n    Product Name                          : NVIDIA GB200\n    Fabric\n        State                             : In Progress\n        ClusterUUID                       : 00000000-0000-0000-0000-000000000000',
  ],
  [
    'fault likely across two domains',
    'fault likely',
    'ClusterUUID                       : 50000000-0000-0003-0000-000000000001\nClusterUUID                       : 50000000-0000-0004-0000-000000000002\nNCCL WARN MNNVL (cliqueSize 4) is available but not working on this system.',
  ],
  [
    'silent on a machine with Fabric Manager',
    'silent',
    '    Product Name                          : NVIDIA H100 80GB HBM3\n    Fabric\n        State                             : In Progress',
  ],
  [
    'near miss: the service of a machine with its own switches is missing',
    'silent',
    'CUDA error 802: system not yet initialized\n    Fabric\n        State                             : In Progress\n        Status                            : N/A\n        CliqueId                          : N/A\nUnit nvidia-fabricmanager.service could not be found.',
  ],
];

describe('fabric/nvlink-domain-not-ready', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(nvlinkDomainNotReady, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
