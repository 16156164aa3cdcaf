import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { persistencedSocketInTheWay } from './persistenced-socket-in-the-way.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'enroot with a mount of /run',
    'fault likely',
    'slurmstepd: error: pyxis:     nvidia-container-cli: mount error: file creation failed: /scratch/enroot/u7/pyxis_12.0/run/nvidia-persistenced/socket: no such device or address\nslurmstepd: error: pyxis:     [ERROR] /etc/enroot/hooks.d/98-nvidia.sh exited with return code 1',
  ],
  [
    'a pod that may not mount',
    'fault likely',
    'nvidia-container-cli: mount error: mount operation failed: /enroot/data/c1/run/nvidia-persistenced/socket: operation not permitted',
  ],
  [
    '/var/run is mounted by hand',
    'fault proved',
    '$ docker run --gpus all -v /var/run:/var/run -it debian bash\nnvidia-container-cli: mount error: file creation failed: /var/lib/docker/overlay2/a1/merged/run/nvidia-persistenced/socket: no such device or address: unknown.',
  ],
  [
    'near miss: another file cannot be made',
    'silent',
    'nvidia-container-cli: mount error: file creation failed: /var/lib/docker/overlay2/a1/merged/usr/bin/nvidia-smi: file exists: unknown.',
  ],
];

describe('container-runtime/persistenced-socket-in-the-way', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(persistencedSocketInTheWay, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
