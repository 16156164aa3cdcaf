import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { draClaimNotPrepared } from './dra-claim-not-prepared.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'an older kubelet that does not know the plugin',
    'fault proved',
    'prepare dynamic resources: plugin name gpu.nvidia.com not found in the list of registered DRA plugins',
  ],
  [
    'a socket that nobody answers',
    'fault proved',
    'Failed to prepare dynamic resources: NodePrepareResources: rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial unix /var/lib/kubelet/plugins/gpu.nvidia.com/dra.sock: connect: connection refused"',
  ],
  [
    'an error of the driver itself',
    'fault likely',
    'NodePrepareResources failed for ResourceClaim a: error preparing devices for claim 9a1e: error applying GPU config: error setting time-slice config for device: exit status 1',
  ],
  [
    'near miss: the compute domain is not ready',
    'fault possible',
    'NodePrepareResources failed for ResourceClaim a: error preparing devices for claim 77c1: prepare devices failed: error applying config: error asserting ComputeDomain Ready: current node not ready in ComputeDomain',
  ],
];

describe('orchestrator/dra-claim-not-prepared', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(draClaimNotPrepared, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
