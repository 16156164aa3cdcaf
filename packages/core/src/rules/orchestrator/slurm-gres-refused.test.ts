import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { slurmGresRefused } from './slurm-gres-refused.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'two records for the same GPUs',
    'fault proved',
    "Mar  3 07:02:11 n12 slurmd[4410]: fatal: gres.conf duplicate records for gpu\nMar  3 07:02:11 n12 systemd[1]: slurmd.service: Failed with result 'exit-code'.",
  ],
  [
    'a Slurm that was built without NVML',
    'fault proved',
    "[2026-02-01T08:11:00.114] fatal: We were configured to autodetect nvml functionality, but we weren't able to find that lib when Slurm was configured.",
  ],
  [
    'some records with a type',
    'fault proved',
    'slurmctld: fatal: gres.conf for gpu, some records have Type specification while others do not',
  ],
  [
    'near miss: slurmd stops for another reason',
    'silent',
    "slurmd: fatal: Unable to determine this slurmd's NodeName\n$ cat /etc/slurm/gres.conf\nAutoDetect=nvml",
  ],
];

describe('orchestrator/slurm-gres-refused', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(slurmGresRefused, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
