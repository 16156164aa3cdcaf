import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { gpuFellOffBusPower } from './gpu-fell-off-bus-power.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved on Xid 79 from journald',
    'fault proved',
    'Nov 03 10:11:12 node-a kernel: NVRM: Xid (PCI:0000:9b:00): 79, pid=1234, name=python, GPU has fallen off the bus.',
  ],
  ['fault proved on the line without an Xid', 'fault proved', 'NVRM: GPU 0000:01:00.0: GPU has fallen off the bus.'],
  [
    'fault likely when NVML lost it',
    'fault likely',
    'Unable to determine the device handle for GPU0000:41:00.0: GPU is lost.  Reboot the system to recover this GPU',
  ],
  ['silent without any of it', 'silent', 'all is well'],
  [
    'no power over the cables of the card',
    'fault proved',
    'NVRM: GPU 0000:04:00.0: GPU does not have the necessary power cables connected.\nNVRM: GPU 0000:04:00.0: RmInitAdapter failed! (0x24:0x1c:1603)',
  ],
  [
    'near miss: the adapter failed for another reason',
    'silent',
    'NVRM: GPU 0000:04:00.0: RmInitAdapter failed! (0x26:0x56:1474)',
  ],
];

describe('hardware/gpu-fell-off-bus-power', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(gpuFellOffBusPower, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
