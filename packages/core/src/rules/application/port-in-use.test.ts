import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { portInUse } from './port-in-use.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault when torchrun cannot listen',
    'fault likely',
    'torch.distributed.DistNetworkError: The server socket has failed to listen on any local network address. port: 29500, useIpv6: false, code: -98, name: EADDRINUSE, message: address already in use',
  ],
  ['fault when a Python server cannot', 'fault likely', 'OSError: [Errno 98] Address already in use'],
  ['silent when the connection is refused', 'silent', 'ConnectionRefusedError: [Errno 111] Connection refused'],
];

describe('application/port-in-use', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(portInUse, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
