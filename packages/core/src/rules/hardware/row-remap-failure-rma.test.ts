import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { rowRemapFailureRma } from './row-remap-failure-rma.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved in the query',
    'fault proved',
    '$ nvidia-smi -q -d ROW_REMAPPER\n    Remapped Rows\n        Pending                           : No\n        Remapping Failure Occurred        : Yes',
  ],
  ['fault proved from the exporter', 'fault proved', 'DCGM_FI_DEV_ROW_REMAP_FAILURE{gpu="0",UUID="GPU-0"} 1'],
  ['cleared when the exporter says 0', 'cleared', 'DCGM_FI_DEV_ROW_REMAP_FAILURE{gpu="0",UUID="GPU-0"} 0'],
  [
    'silent on Xid 63',
    'silent',
    'NVRM: Xid (PCI:0000:10:1c): 63, pid=1896, Row Remapper: New row marked for remapping, reset gpu to activate.',
  ],
];

describe('hardware/row-remap-failure-rma', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(rowRemapFailureRma, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
