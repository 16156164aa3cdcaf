import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { jetsonWheelForOtherJetpack } from './jetson-wheel-for-other-jetpack.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved by the Python of the wheel',
    'fault proved',
    '$ cat /etc/nv_tegra_release\n# R35 (release), REVISION: 4.1, GCID: 33958178, BOARD: t186ref, EABI: aarch64\nERROR: torch-1.8.0-cp36-cp36m-linux_aarch64.whl is not a supported wheel on this platform.',
  ],
  [
    'fault proved by the tag of the wheel',
    'fault proved',
    '$ cat /etc/nv_tegra_release\n# R36 (release), REVISION: 3.0, GCID: 36106755, BOARD: generic, EABI: aarch64\n$ pip3 list | grep torch\ntorch 2.0.0+nv23.05',
  ],
  [
    'silent on another machine',
    'silent',
    'ImportError: libcublas.so.10: cannot open shared object file: No such file or directory',
  ],
];

describe('framework/jetson-wheel-for-other-jetpack', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(jetsonWheelForOtherJetpack, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
