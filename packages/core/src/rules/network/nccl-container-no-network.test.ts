import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { ncclContainerNoNetwork } from './nccl-container-no-network.ts';

const cases: readonly (readonly [string, string, string])[] = [
  ['fault likely without an interface', 'fault likely', 'n1:71:71 [0] NCCL WARN NET/Socket : no interface found'],
  ['silent without NCCL', 'silent', 'hello'],
];

describe('network/nccl-container-no-network', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(ncclContainerNoNetwork, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
