import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { twoDriversInstalled } from './two-drivers-installed.ts';

describe('driver/two-drivers-installed', () => {
  it.each([
    [
      'fault when packages of two branches are installed',
      "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.\n$ dpkg -l | grep nvidia\nii  nvidia-driver-470  470.256.02-0ubuntu1  amd64  driver\nii  nvidia-driver-535  535.183.01-0ubuntu1  amd64  driver",
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'cleared when the second package is transitional, of the same release',
      "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.\n$ dpkg -l | grep nvidia\nii  nvidia-driver-510  525.85.05-0ubuntu1  amd64  transitional\nii  nvidia-driver-525  525.85.05-0ubuntu1  amd64  driver",
      { kind: 'cleared' },
    ],
    [
      'cleared when the other package is removed and only its settings are left',
      "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.\n$ dpkg -l | grep nvidia\nrc  nvidia-driver-470  470.256.02-0ubuntu1  amd64  driver\nii  nvidia-driver-535  535.183.01-0ubuntu1  amd64  driver",
      { kind: 'cleared' },
    ],
    [
      'possible when nothing fails',
      '$ dpkg -l | grep nvidia\nii  nvidia-driver-470  470.256.02-0ubuntu1  amd64  driver\nii  nvidia-driver-535  535.183.01-0ubuntu1  amd64  driver',
      { kind: 'fault', certainty: 'possible' },
    ],
  ] as const)('%s', (_, text, answer) => {
    expect(outcomeOf(twoDriversInstalled, text)).toMatchObject(answer);
  });
});
