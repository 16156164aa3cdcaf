import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { containerToolkitNotInstalled } from './container-toolkit-not-installed.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved when the toolkit was looked for and is not there',
    'fault proved',
    'docker: Error response from daemon: could not select device driver "" with capabilities: [[gpu]].\n$ nvidia-ctk --version\nbash: nvidia-ctk: command not found',
  ],
  [
    'fault likely on the message of Docker alone',
    'fault likely',
    'docker: Error response from daemon: could not select device driver "" with capabilities: [[gpu]].',
  ],
  [
    'fault proved when no package is installed',
    'fault proved',
    'docker: Error response from daemon: could not select device driver "" with capabilities: [[gpu]].\n$ dpkg -l | grep nvidia-container\n$ nvidia-smi -L\nGPU 0: NVIDIA L4 (UUID: GPU-00000000-0000-0000-0000-000000000001)',
  ],
  [
    'fault proved when the hook of enroot finds no program',
    'fault proved',
    'slurmstepd: error: pyxis:     [ERROR] Command not found: nvidia-container-cli, see https://github.com/NVIDIA/libnvidia-container',
  ],
  [
    'silent on another missing runtime',
    'silent',
    'docker: Error response from daemon: unknown or invalid runtime name: kata.',
  ],
  ['silent without a container', 'silent', 'RuntimeError: Found no NVIDIA driver on your system.'],
];

describe('container-runtime/container-toolkit-not-installed', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(containerToolkitNotInstalled, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
