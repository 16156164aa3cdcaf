import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { vgpuLicenceMissing } from './vgpu-licence-missing.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved when the server refuses and the state is unlicensed',
    'fault proved',
    'nvidia-gridd[911]: Failed to acquire license from 10.2.0.9 (Info: NVIDIA Virtual Compute Server - Error: Server not reachable)\n        License Status                    : Unlicensed (Unrestricted)',
  ],
  [
    'fault likely on CUDA’s word alone',
    'fault likely',
    "RuntimeError: CUDA error: device doesn't have valid Grid license",
  ],
  [
    'cleared when the second try succeeded',
    'cleared',
    'nvidia-gridd[911]: Failed to acquire license from 10.2.0.9 (Error: timeout)\nnvidia-gridd[911]: License acquired successfully. (Info: 10.2.0.9, NVIDIA Virtual Compute Server; Expiry: 2026-1-1 1:1:1 GMT)',
  ],
  [
    'silent on low clocks of a pass-through GPU',
    'silent',
    '        SW Power Cap                      : Active\n        License Status                    : N/A',
  ],
  [
    'near miss: two refusals, then a licence',
    'cleared',
    'nvidia-gridd: Failed to acquire license from dls.example\nnvidia-gridd: Failed to acquire license from dls.example\nnvidia-gridd: License acquired successfully. (Info: dls.example, NVIDIA Virtual Compute Server; Expiry: 2026-3-3 7:0:49 GMT)\n        License Status                    : Licensed (Expiry: 2026-3-3 7:0:49 GMT)',
  ],
];

describe('driver/vgpu-licence-missing', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(vgpuLicenceMissing, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
