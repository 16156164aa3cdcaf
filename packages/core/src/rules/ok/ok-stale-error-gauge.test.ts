import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { okStaleErrorGauge } from './ok-stale-error-gauge.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'cleared for the health check says healthy',
    'cleared',
    '$ curl -s localhost:9400/metrics | grep -i xid\nDCGM_FI_DEV_XID_ERRORS{gpu="3",UUID="GPU-00000000-0000-0000-0000-000000000003",device="nvidia3",modelName="NVIDIA H100 80GB HBM3",err_code="31"} 31\n$ dcgmi health -g 0 -c\n| Overall Health            | Healthy                                                  |',
  ],
  [
    'silent without a sign of health',
    'silent',
    'DCGM_FI_DEV_XID_ERRORS{gpu="3",modelName="NVIDIA H100 80GB HBM3",err_code="79"} 79',
  ],
];

describe('ok/ok-stale-error-gauge', () => {
  it.each(cases)('%s', (_, expected, text) => {
    expect(outcomeOf(okStaleErrorGauge, text).kind).toBe(expected);
  });
});
