import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { jetsonImageForOtherL4t } from './jetson-image-for-other-l4t.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'an image for servers, whose library is in the way',
    'fault likely',
    'jetson@nano:~$ docker run --runtime nvidia -it nvcr.io/nvidia/pytorch:22.01-py3\nnvidia-container-cli: mount error: file creation failed: /var/lib/docker/overlay2/63a5/merged/usr/lib/aarch64-linux-gnu/libcudnn_static_v8.a: file exists: unknown.\njetson@nano:~$ cat /etc/nv_tegra_release\n# R32 (release), REVISION: 6.1, GCID: 27863751, BOARD: t210ref, EABI: aarch64, DATE: Mon Jul 26 19:20:30 UTC 2021',
  ],
  [
    'a base image of the release before',
    'fault proved',
    '$ docker run --runtime nvidia --rm nvcr.io/nvidia/l4t-base:r32.6.1 /opt/app\n/opt/app: error while loading shared libraries: libcudart.so.10.2: cannot open shared object file: No such file or directory\n$ cat /etc/nv_tegra_release\n# R35 (release), REVISION: 3.1, GCID: 32827747, BOARD: t186ref, EABI: aarch64, DATE: Sun Mar 19 15:19:21 UTC 2023',
  ],
  [
    'near miss: an own image',
    'silent',
    '$ docker run --runtime nvidia --rm registry.acme/app:12 python3 app.py\nImportError: libnvrm.so: cannot open shared object file: No such file or directory\n$ cat /etc/nv_tegra_release\n# R35 (release), REVISION: 3.1, GCID: 32827747, BOARD: t186ref, EABI: aarch64, DATE: Sun Mar 19 15:19:21 UTC 2023',
  ],
];

describe('image/jetson-image-for-other-l4t', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(jetsonImageForOtherL4t, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
