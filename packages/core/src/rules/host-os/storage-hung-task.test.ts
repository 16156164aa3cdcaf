import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { storageHungTask } from './storage-hung-task.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved on a local disk',
    'fault proved',
    'INFO: task kworker/u64:3:911 blocked for more than 120 seconds.\n io_schedule+0x46/0x80\n xfs_buf_lock+0x3b/0xf0 [xfs]',
  ],
  [
    'cleared beside an Xid of the hardware',
    'cleared',
    'INFO: task python:48213 blocked for more than 120 seconds.\n io_schedule+0x46/0x80\nNVRM: Xid (PCI:0000:41:00): 79, pid=48213, name=python, GPU has fallen off the bus.',
  ],
  ['silent without a hung task', 'silent', 'RuntimeError: CUDA error: out of memory'],
];

describe('host-os/storage-hung-task', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(storageHungTask, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
