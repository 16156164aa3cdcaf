import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { ncclContainerNoNetwork } from './nccl-container-no-network.ts';

const cases: readonly (readonly [string, string, string])[] = [
  ['fault likely without an interface', 'fault likely', 'n1:71:71 [0] NCCL WARN NET/Socket : no interface found'],
  ['silent without NCCL', 'silent', 'hello'],
  [
    'no adapters in the container, some on the host',
    'fault proved',
    "n1:55:90 [0] NCCL INFO NET/IB : No device found.\n(container) $ ls /dev/infiniband\nls: cannot access '/dev/infiniband': No such file or directory\n(host) $ ls /dev/infiniband\nuverbs0  uverbs1",
  ],
  [
    'near miss: a host without adapters',
    'unknown',
    "n1:55:90 [0] NCCL INFO NET/IB : No device found.\nls: cannot access '/dev/infiniband': No such file or directory",
  ],
];

describe('network/nccl-container-no-network', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(ncclContainerNoNetwork, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
