import { describe, expect, it } from 'vitest';
import { outcomeOf, verdictFor } from '../testing.ts';
import { dmonOf } from '../testing-series.ts';
import { healthy } from '../testing-shapes.ts';
import { cpuBound } from './cpu-bound.ts';

const teeth = dmonOf('gpu pwr sm mem mclk', 96, (t) => [t % 8 < 5 ? [0, 480, 92, 30, 2619] : [0, 130, 0, 0, 2619]]);
const top = '    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND';
const pidstat = '14:02:11      UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command';
const ps = 'USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'one thread fills a core while the loaders rest, by top',
    'fault likely',
    `${teeth}\n\n${top}\n   4711 al  20   0  48.9g 9.1g 1.2g R 100.3 1.8 12:41.20 python3\n   4790 al  20   0  12.1g 1.1g 0.2g S   0.7 0.2  0:11.02 python3`,
  ],
  [
    'one thread fills a core, by pidstat',
    'fault likely',
    `${teeth}\n\n${pidstat}\n14:02:12     1000      4711   96.00    3.00    0.00    0.00   99.00     7  train`,
  ],
  [
    'a mean over the life of the process is only possible',
    'fault possible',
    `${teeth}\n\n${ps}\nal      4711 98.5  1.8 5128 910 ?  Rl  14:00  12:41 python3 train.py`,
  ],
  [
    'loaders that work too may be the limit as well',
    'unknown',
    `${teeth}\n\n${top}\n   4711 al  20   0  48.9g 9.1g 1.2g R 100.3 1.8 12:41.20 python3\n   4790 al  20   0  12.1g 1.1g 0.2g R  97.0 0.2  0:11.02 python3`,
  ],
  [
    'a main thread that rests is not what the GPU waits for',
    'unknown',
    `${teeth}\n\n${top}\n   4711 al  20   0  48.9g 9.1g 1.2g S   3.0 1.8 12:41.20 python3`,
  ],
  ['a healthy series', 'cleared', healthy['ok-well-used']![0]!],
];

describe('application/cpu-bound', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(cpuBound, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });

  it('without a list of processes it cannot be told from late input', () => {
    const verdict = verdictFor(teeth);
    expect(verdict.cause).toBe('input-pipeline-bound');
    expect(verdict.headline).toContain('which of the two is not in the data');
  });
});
