import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { adapterFirmwareFault } from './adapter-firmware-fault.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'an internal error of the firmware',
    'fault proved',
    'mlx5_core 0000:0d:00.0: print_health_info:431:(pid 0): Health issue observed, firmware internal error, severity(3) ERROR:',
  ],
  ['an adapter of Broadcom', 'fault proved', 'bnxt_en 0000:84:00.0 ens3f0np0: Firmware heartbeat stopped, resetting'],
  ['an older adapter', 'fault proved', 'mlx4_core 0000:03:00.0: Internal error detected: buf[00]: 0x00328f6f'],
  [
    'near miss: a cable',
    'unknown',
    'mlx5_core 0000:17:00.0: Port module event[error]: module 0, Cable error, Power budget exceeded',
  ],
];

describe('network/adapter-firmware-fault', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(adapterFirmwareFault, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
