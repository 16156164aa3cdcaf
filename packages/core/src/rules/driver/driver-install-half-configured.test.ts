import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { driverInstallHalfConfigured } from './driver-install-half-configured.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault likely when an rpm scriptlet failed',
    'fault likely',
    'warning: %post(kmod-nvidia-open-dkms-3:550.90.07-1.el9.noarch) scriptlet failed, exit status 1',
  ],
  [
    'fault proved when an rpm scriptlet failed and nvidia-smi is without driver',
    'fault proved',
    "Error in POSTIN scriptlet in rpm package kmod-nvidia-latest-dkms\nNVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.",
  ],
  [
    'silent when another package is half installed',
    'silent',
    "iF  postgresql-14                14.1-1 amd64  database\nNVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.",
  ],
];

describe('driver/driver-install-half-configured', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(driverInstallHalfConfigured, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
