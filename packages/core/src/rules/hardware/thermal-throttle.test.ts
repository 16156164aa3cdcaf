import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { thermalThrottle } from './thermal-throttle.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved in the bitmask',
    'fault proved',
    '$ nvidia-smi --query-gpu=index,clocks_event_reasons.active --format=csv,noheader\n0, 0x0000000000000048',
  ],
  [
    'fault proved with the old name',
    'fault proved',
    '==============NVSMI LOG==============\n\nDriver Version                            : 550.144.03\nAttached GPUs                             : 1\nGPU 00000000:3B:00.0\n    Clocks Throttle Reasons\n        Idle                              : Not Active\n        SW Thermal Slowdown               : Active',
  ],
  ['fault likely on DCGM', 'fault likely', 'Detected clocks event due to thermal violation in GPU 4.'],
  [
    'cleared when only the power cap is active',
    'cleared',
    '$ nvidia-smi --query-gpu=index,clocks_event_reasons.active --format=csv,noheader\n0, 0x0000000000000004',
  ],
];

describe('hardware/thermal-throttle', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(thermalThrottle, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});

describe('hardware/thermal-throttle with several GPUs', () => {
  const report = (bus: string, degrees: number, hot: boolean): string =>
    `GPU ${bus}\n    Clocks Event Reasons\n        Idle                              : ${hot ? 'Not Active' : 'Active'}\n        SW Thermal Slowdown               : ${hot ? 'Active' : 'Not Active'}\n    Temperature\n        GPU Current Temp                  : ${degrees} C\n        GPU Slowdown Temp                 : 92 C`;
  const text = (order: readonly string[]): string =>
    `==============NVSMI LOG==============\n\nDriver Version                            : 550.144.03\nAttached GPUs                             : 2\n${order.join('\n')}`;
  const cool = report('00000000:1A:00.0', 54, false);
  const hot = report('00000000:5D:00.0', 91, true);

  it.each([
    ['last', [cool, hot]],
    ['first', [hot, cool]],
  ])('names the temperature of the one that is slowed down, which stands %s', (_, order) => {
    const message = outcomeOf(thermalThrottle, text(order)).message ?? '';
    expect(message).toContain('5D:00.0');
    expect(message).toContain('91 °C');
    expect(message).not.toMatch(/54|GPU of GPU/);
  });
});
