import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { thermalShutdown } from './thermal-shutdown.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved when the driver says why the GPU is gone',
    'fault proved',
    'kernel: NVRM: Xid (PCI:0000:5e:00): 79, pid=0, name=<unknown>, GPU has fallen off the bus.\nkernel: NVRM: GPU 0000:5e:00.0: GPU has been shut down due to an over-temperature condition.',
  ],
  [
    'fault proved at the limit',
    'fault proved',
    '==============NVSMI LOG==============\n\nDriver Version                            : 570.124.06\nAttached GPUs                             : 1\nGPU 00000000:3B:00.0\n    Temperature\n        GPU Current Temp                  : 91 C\n        GPU Shutdown Temp                 : 92 C\n        GPU Slowdown Temp                 : 89 C',
  ],
  [
    'fault likely with a GPU that is gone',
    'fault likely',
    ' 1a | 03/02/2025 | 11:02:14 | Temperature GPU3 Temp | Upper Non-recoverable going high | Asserted\nNVRM: Xid (PCI:0000:9b:00): 79, pid=1234, name=python, GPU has fallen off the bus.',
  ],
  ['silent without it', 'silent', 'fan0: 5400 RPM'],
  [
    'near miss: slowed down just below the limit',
    'silent',
    'GPU 00000000:3B:00.0\n    Clocks Event Reasons\n        HW Slowdown                       : Active\n            HW Thermal Slowdown           : Active\n    Temperature\n        GPU Current Temp                  : 90 C\n        GPU Shutdown Temp                 : 92 C\n        GPU Slowdown Temp                 : 89 C',
  ],
];

describe('hardware/thermal-shutdown', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(thermalShutdown, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
