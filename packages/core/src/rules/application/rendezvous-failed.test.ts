import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { rendezvousFailed } from './rendezvous-failed.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault likely when too few nodes come',
    'fault likely',
    'torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError',
  ],
  [
    'fault when the wait ends',
    'fault likely',
    '[W socket.cpp:697] [c10d] The client socket has failed to connect to [node01]:29500 (errno: 111 - Connection refused).\n[W socket.cpp:697] [c10d] The client socket has failed to connect to [node01]:29500 (errno: 111 - Connection refused).\ntorch.distributed.DistNetworkError: The client socket has timed out after 60s while trying to connect to (node01, 29500).',
  ],
  [
    'fault with another host',
    'fault likely',
    '[W socket.cpp:697] [c10d] The client socket has failed to connect to [10.0.0.5]:12355 (errno: 111 - Connection refused).\ntorch.distributed.DistStoreError: Timed out after 601 seconds waiting for clients. 1/2 clients joined.',
  ],
  [
    'cleared when a rank failed on its own',
    'cleared',
    'Traceback (most recent call last):\n  File "t.py", line 2, in <module>\n    load()\nKeyError: \'a\'\n[W socket.cpp:697] [c10d] The client socket has failed to connect to [node01]:29500 (errno: 111 - Connection refused).\ntorch.distributed.DistNetworkError: The client socket has timed out after 60s while trying to connect to (node01, 29500).',
  ],
  [
    'silent when the host does not answer',
    'silent',
    'torch.distributed.DistNetworkError: The client socket has timed out after 60s while trying to connect to (node01, 29500).',
  ],
  [
    'the second node never came',
    'fault likely',
    'Traceback (most recent call last):\n  File "dynamic_rendezvous.py", line 679, in run\n    raise RendezvousTimeoutError\ntorch.distributed.elastic.rendezvous.api.RendezvousTimeoutError',
  ],
];

describe('application/rendezvous-failed', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(rendezvousFailed, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
