import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { rowRemapPendingNeedsReset } from './row-remap-pending-needs-reset.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved in the query',
    'fault proved',
    '$ nvidia-smi -q\n    Remapped Rows\n        Correctable Error                 : 0\n        Uncorrectable Error               : 1\n        Pending                           : Yes\n        Remapping Failure Occurred        : No',
  ],
  [
    'fault proved from CSV',
    'fault proved',
    '$ nvidia-smi --query-remapped-rows=gpu_uuid,remapped_rows.pending,remapped_rows.failure --format=csv\ngpu_uuid, remapped_rows.pending, remapped_rows.failure\nGPU-00000000-0000-0000-0000-000000000000, Yes, No',
  ],
  [
    'silent on Xid 31',
    'silent',
    'NVRM: Xid (PCI:0000:41:00): 31, pid=22011, name=python3, Ch 00000008, intr 00000000.',
  ],
];

describe('hardware/row-remap-pending-needs-reset', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(rowRemapPendingNeedsReset, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
