import { describe, expect, it } from 'vitest';
import { valuesOf } from './testing.ts';

const xid = (pci: string, code: number, pid: number, name: string): string =>
  `NVRM: Xid (PCI:0000:${pci}:00): ${code}, pid=${pid}, name=${name}, Ch 00000008`;

describe('Xids of a log', () => {
  it('are counted by GPU and code, with their span and programs', () => {
    const text = [
      `[100.000000] ${xid('3b', 31, 10, 'python3')}`,
      `[160.000000] ${xid('3b', 31, 11, 'gmx')}`,
      `[160.000000] ${xid('5d', 31, 11, 'gmx')}`,
      `[220.500000] ${xid('3b', 31, 11, 'gmx')}`,
    ].join('\n');
    expect(valuesOf(text, 'gpu.xid-events')).toEqual([
      {
        kind: 'xid',
        xid: 31,
        pci: '0000:3b:00',
        host: null,
        count: 3,
        suppressed: 0,
        first: '100.000000',
        last: '220.500000',
        spanMs: 120500,
        programs: [
          { process: 'python3', pid: 10, count: 1 },
          { process: 'gmx', pid: 11, count: 2 },
        ],
      },
      {
        kind: 'xid',
        xid: 31,
        pci: '0000:5d:00',
        host: null,
        count: 1,
        suppressed: 0,
        first: '160.000000',
        last: '160.000000',
        spanMs: 0,
        programs: [{ process: 'gmx', pid: 11, count: 1 }],
      },
    ]);
  });

  it('count what the kernel and the system log left out', () => {
    const text = [
      `[100.000000] ${xid('3b', 13, 10, 'python3')}`,
      '[105.000000] nv_report_error: 41 callbacks suppressed',
      `[105.000001] ${xid('3b', 13, 10, 'python3')}`,
    ].join('\n');
    expect(valuesOf(text, 'gpu.xid-events')).toMatchObject([{ count: 2, suppressed: 41 }]);
    const folded = `Apr  2 13:07:56 n1 kernel: ${xid('5d', 13, 9, 'a')}\nApr  2 13:07:59 n1 kernel: message repeated 7 times: [ ${xid('5d', 13, 9, 'a')}]`;
    expect(valuesOf(folded, 'gpu.xid-events')).toMatchObject([{ count: 8 }]);
    const last = `Apr  2 13:07:56 n1 kernel: ${xid('5d', 13, 9, 'a')}\nApr  2 13:08:06 n1 last message repeated 3 times`;
    expect(valuesOf(last, 'gpu.xid-events')).toMatchObject([{ count: 4 }]);
  });

  it('leave messages of others that were left out alone', () => {
    const text = `net_ratelimit: 23807 callbacks suppressed\nnf_conntrack: table full\n${xid('3b', 13, 10, 'a')}`;
    expect(valuesOf(text, 'gpu.xid-events')).toMatchObject([{ count: 1, suppressed: 0 }]);
  });

  it('have no span over two starts of the node', () => {
    const text = `[900.000000] ${xid('3b', 79, 0, '<unknown>')}\n[4.000000] Linux version 6.8.0-51-generic (buildd@x) #52\n[12.000000] ${xid('3b', 79, 0, '<unknown>')}`;
    expect(valuesOf(text, 'gpu.xid-events')).toMatchObject([{ count: 2, spanMs: null, programs: [] }]);
    expect(valuesOf(text, 'os.started')).toEqual([{ what: 'node' }]);
  });

  it('count SXids of a switch as well', () => {
    const text = 'nvidia-nvswitch2: SXid (PCI:0000:c4:00.0): 20034, Fatal, Link 33 LTSSM Fault Up';
    expect(valuesOf(`${text}\n${text}`, 'gpu.xid-events')).toMatchObject([{ kind: 'sxid', xid: 20034, count: 2 }]);
  });
});
