import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { ncclWrongInterface } from './nccl-wrong-interface.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved when the named interface does not exist',
    'fault proved',
    'n1:71:71 [0] NCCL WARN Bootstrap : no socket interface found\n$ echo $NCCL_SOCKET_IFNAME\nib7',
  ],
  [
    'fault proved when a rank connects to a bridge address',
    'fault proved',
    'n2:71:71 [0] NCCL WARN socketStartConnect: Connect to 172.17.0.1<40113> failed : Connection refused',
  ],
  ['silent without NCCL', 'silent', 'hello'],
];

describe('network/nccl-wrong-interface', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(ncclWrongInterface, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
