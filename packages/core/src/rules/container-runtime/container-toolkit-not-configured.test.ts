import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { containerToolkitNotConfigured } from './container-toolkit-not-configured.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved when the toolkit is installed and Docker does not find it',
    'fault proved',
    'docker: Error response from daemon: could not select device driver "" with capabilities: [[gpu]].\n$ dpkg -l | grep container-toolkit\nii  nvidia-container-toolkit       1.14.3-1   amd64  NVIDIA Container toolkit',
  ],
  [
    'fault likely when a CDI name resolves to nothing',
    'fault likely',
    'Error: setting up CDI devices: unresolvable CDI devices nvidia.com/gpu=all',
  ],
  [
    'fault proved when no CDI device is offered',
    'fault proved',
    'Error: setting up CDI devices: unresolvable CDI devices nvidia.com/gpu=all\n$ nvidia-ctk cdi list\nINFO[0000] Found 0 CDI devices',
  ],
  [
    'silent when the toolkit is not installed',
    'silent',
    'docker: Error response from daemon: unknown or invalid runtime name: nvidia.\n$ which nvidia-container-runtime nvidia-ctk\n$ uname -m\nx86_64',
  ],
  ['silent on a host without containers', 'silent', 'RuntimeError: No CUDA GPUs are available'],
];

describe('container-runtime/container-toolkit-not-configured', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(containerToolkitNotConfigured, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
