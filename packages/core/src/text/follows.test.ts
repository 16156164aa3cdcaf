import { describe, expect, it } from 'vitest';
import { verdictFor } from '../rules/testing.ts';
import { followsWithin, mayFollow } from './follows.ts';
import type { Moment } from './when.ts';

const at = (seconds: number, clock: Moment['clock'] = 'utc'): Moment => ({ clock, ms: 1000 * seconds, dated: true });
const longest = followsWithin.seconds;

describe('an event', () => {
  it.each([
    ['at once', [at(0)], [at(1)], true],
    ['just within the time', [at(0)], [at(longest)], true],
    ['just beyond it', [at(0)], [at(longest + 1)], false],
    ['long before', [at(10 * longest)], [at(0)], false],
    ['near one of several', [at(0), at(5 * longest)], [at(5 * longest + 60)], true],
    ['by another clock', [at(0)], [at(9 * longest, 'host')], true],
    ['without a time', [at(0)], [], true],
  ] as const)('%s', (_, one, other, may) => {
    expect([mayFollow(one, other), mayFollow(other, one)]).toEqual([may, may]);
  });
});

const lost = 'NVRM: Xid (PCI:0000:3b:00): 79, pid=812, name=python3, GPU has fallen off the bus.';
const watchdog =
  '[Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=512, OpType=ALLREDUCE, NumelIn=4096, NumelOut=4096, Timeout(ms)=600000) ran for 600012 milliseconds before timing out.';

describe('a time-out after a GPU was lost', () => {
  const asked = (first: string, second: string): readonly string[] => {
    const verdict = verdictFor(`${first} node-a kernel: ${lost}\n${second} ${watchdog}\n`);
    expect(verdict.findings[0]?.rule).toBe('hardware/gpu-fell-off-bus-power');
    return verdict.unknown.map(({ ask }) => ask);
  };

  it('leaves nothing open where it came soon', () => {
    expect(asked('2026-11-02T10:00:00Z', '2026-11-02T10:20:05Z')).toEqual([]);
  });

  it.each(['2026-11-02T12:10:00Z', '2026-11-12T10:20:05Z'])('is asked about by itself at %s', (second) => {
    expect(asked('2026-11-02T10:00:00Z', second).length).toBeGreaterThan(0);
  });
});
