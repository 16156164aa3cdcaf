import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { wslOsBuildBug } from './wsl-os-build-bug.ts';

describe('host-os/wsl-os-build-bug', () => {
  it.each([
    [
      'fault on a build that is known for it',
      'Microsoft Windows [Version 10.0.20226.1000]\n$ uname -r\n5.15.153.1-microsoft-standard-WSL2\nCUDA error: all CUDA-capable devices are busy or unavailable',
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'likely when another build is said to work',
      '$ uname -r\n5.15.153.1-microsoft-standard-WSL2\nFailed to initialize NVML: GPU access blocked by the operating system\n# worked on build 19044, fails since the update to build 22000',
      { kind: 'fault', certainty: 'likely' },
    ],
    [
      'possible when the build is not known',
      '$ uname -r\n5.15.153.1-microsoft-standard-WSL2\nFailed to initialize NVML: GPU access blocked by the operating system',
      { kind: 'fault', certainty: 'possible' },
    ],
    ['silent when nothing fails', '$ uname -r\n5.15.153.1-microsoft-standard-WSL2\n', { kind: 'silent' }],
  ] as const)('%s', (_, text, answer) => {
    expect(outcomeOf(wslOsBuildBug, text)).toMatchObject(answer);
  });
});
