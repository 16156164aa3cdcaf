import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { wslLinuxDriverInstalled } from './wsl-linux-driver-installed.ts';

describe('driver/wsl-linux-driver-installed', () => {
  it.each([
    [
      'fault when a driver package is installed and nvidia-smi fails',
      "$ uname -r\n5.15.153.1-microsoft-standard-WSL2\nNVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.\n$ dpkg -l | grep nvidia\nii  nvidia-driver-535  535.183.01-0ubuntu1  amd64  driver",
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'likely when only its nvidia-smi runs',
      "$ uname -r\n5.15.153.1-microsoft-standard-WSL2\nNVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.",
      { kind: 'fault', certainty: 'likely' },
    ],
    [
      'silent outside of WSL',
      "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.\n$ dpkg -l | grep nvidia\nii  nvidia-driver-535  535.183.01-0ubuntu1  amd64  driver",
      { kind: 'silent' },
    ],
  ] as const)('%s', (_, text, answer) => {
    expect(outcomeOf(wslLinuxDriverInstalled, text)).toMatchObject(answer);
  });
});
