import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { wslWithoutGpu } from './wsl-without-gpu.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'one distribution, stopped, of version 1, and no driver in it',
    'fault likely',
    'RuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver from http://www.nvidia.com/Download/index.aspx\n  Debian          Stopped         1',
  ],
  [
    'the star tells which one counts',
    'fault proved',
    'initialization error: WSL environment detected but no adapters were found\n* Ubuntu          Running         1\n  docker-desktop  Running         2',
  ],
  [
    'near miss: version 2, no adapter',
    'fault likely',
    'initialization error: WSL environment detected but no adapters were found\n* Ubuntu          Running         2',
  ],
  ['near miss: a list of distributions alone', 'unknown', '* Ubuntu          Running         1'],
  [
    'a Windows before GPU support',
    'fault proved',
    'nvidia-container-cli: initialization error: load library failed: libnvidia-ml.so.1: cannot open shared object file: no such file or directory: unknown.\nMicrosoft Windows [Version 10.0.19042.928]\n* Ubuntu          Running         2',
  ],
  [
    'near miss: the same on Windows 11',
    'cleared',
    'nvidia-container-cli: initialization error: load library failed: libnvidia-ml.so.1: cannot open shared object file: no such file or directory: unknown.\nMicrosoft Windows [Version 10.0.22631.4317]\n* Ubuntu          Running         2',
  ],
];

describe('host-os/wsl-without-gpu', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(wslWithoutGpu, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
