import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { pcieLinkDegraded } from './pcie-link-degraded.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved under load',
    'fault proved',
    '$ nvidia-smi --query-gpu=index,utilization.gpu,pcie.link.gen.current,pcie.link.gen.max,pcie.link.width.current,pcie.link.width.max --format=csv,noheader\n0, 98 %, 1, 4, 16, 16\n1, 97 %, 4, 4, 16, 16',
  ],
  [
    'fault proved with fewer lanes',
    'fault proved',
    '$ nvidia-smi --query-gpu=index,pcie.link.width.current,pcie.link.width.max,pcie.link.gen.current --format=csv,noheader\n0, 4, 16, 4\n1, 16, 16, 4',
  ],
  [
    'fault likely on a fatal error of the bus',
    'fault likely',
    'pcieport 0000:3a:00.0: AER: Uncorrected (Fatal) error received: 0000:3b:00.0',
  ],
  ['silent on a few corrected errors', 'silent', 'pcieport 0000:3a:00.0: AER: Corrected error received: 0000:3b:00.0'],
];

describe('hardware/pcie-link-degraded', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(pcieLinkDegraded, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
