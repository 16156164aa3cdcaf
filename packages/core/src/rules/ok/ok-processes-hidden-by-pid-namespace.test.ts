import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { okProcessesHiddenByPidNamespace } from './ok-processes-hidden-by-pid-namespace.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'cleared for empty inside, full outside',
    'cleared',
    'root@container:/# nvidia-smi\n+-----------------------------------------------------------------------------+\n| Processes:                                                       GPU Memory |\n|  GPU       PID  Type  Process name                               Usage      |\n|=============================================================================|\n+-----------------------------------------------------------------------------+\nuser@host:~$ nvidia-smi\n+-----------------------------------------------------------------------------+\n| Processes:                                                       GPU Memory |\n|  GPU       PID  Type  Process name                               Usage      |\n|=============================================================================|\n|    0     28290    C   python                                        1012MiB |\n+-----------------------------------------------------------------------------+',
  ],
  [
    'silent on one table of the host',
    'silent',
    'user@host:~$ nvidia-smi\n| Processes:                                                       GPU Memory |\n|  GPU       PID  Type  Process name                               Usage      |\n|=============================================================================|\n|    0     28290    C   python                                        1012MiB |\n',
  ],
];

describe('ok/ok-processes-hidden-by-pid-namespace', () => {
  it.each(cases)('%s', (_, expected, text) => {
    expect(outcomeOf(okProcessesHiddenByPidNamespace, text).kind).toBe(expected);
  });
});
