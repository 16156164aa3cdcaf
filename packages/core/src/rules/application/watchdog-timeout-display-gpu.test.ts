import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { watchdogTimeoutDisplayGpu } from './watchdog-timeout-display-gpu.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault when Windows reset the GPU',
    'fault proved',
    'Display driver nvlddmkm stopped responding and has successfully recovered.\nCUDA error: unspecified launch failure',
  ],
  [
    'fault when the table shows a display',
    'fault proved',
    'RuntimeError: CUDA error: the launch timed out and was terminated\n$ nvidia-smi -q | grep -i display\n    Display Mode                          : Enabled\n    Display Active                        : Enabled',
  ],
  [
    'cleared when no display is active',
    'cleared',
    'CUDA error: the launch timed out and was terminated\n$ nvidia-smi --query-gpu=index,display_active --format=csv,noheader\n0, Disabled',
  ],
  [
    'near miss: Windows reset it, and no program computed',
    'fault possible',
    'Source:        Display\nEvent ID:      4101\nDisplay driver nvlddmkm stopped responding and has successfully recovered.',
  ],
];

describe('application/watchdog-timeout-display-gpu', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(watchdogTimeoutDisplayGpu, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
