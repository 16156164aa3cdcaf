import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultKnowledge } from '../knowledge/knowledge.ts';
import { createDocument } from '../text/document.ts';
import { diagnose } from './diagnose.ts';
import { Follower } from './follow.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const follower = (): Follower => new Follower(defaultKnowledge, 'job.log');
const illegal = 'RuntimeError: CUDA error: an illegal memory access was encountered';
const fallen = 'NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.';
const mismatch = [
  '$ nvidia-smi',
  'Failed to initialize NVML: Driver/library version mismatch',
  'NVML library version: 570.133',
];
const loaded = [
  '$ cat /proc/driver/nvidia/version',
  'NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.124.06  Wed Feb 26 02:15:01 UTC 2025',
];

/** What the changes say, in short. */
function told(follow: Follower): readonly string[] {
  return follow.look().map((each) => {
    switch (each.event) {
      case 'finding':
        return `finding ${each.finding.rule} ${each.finding.certainty}`;
      case 'certainty':
        return `${each.finding.rule} ${each.was} → ${each.now}`;
      case 'explained':
        return `${each.rule} by ${each.by}`;
      case 'withdrawn':
        return `withdrawn ${each.rule}`;
    }
  });
}

describe('following a text', () => {
  it('tells a finding once, with the true number of its line', () => {
    const follow = follower();
    follow.push(bytes(`${'row\n'.repeat(1000)}${illegal}\n`));
    expect(follow.due).toBe('now');
    const [change] = follow.look();
    expect(change).toMatchObject({ event: 'finding', finding: { evidence: [{ file: 'job.log', line: 1001 }] } });
    follow.push(bytes(`row\n${illegal}\n`));
    expect(told(follow)).toEqual([]);
  });

  it('has nothing to look at while nothing recognised comes', () => {
    const follow = follower();
    follow.push(bytes('epoch\n'.repeat(10)));
    const before = follow.due;
    follow.push(bytes('xyzzy of nothing\n'));
    expect(follow.due).toBe(before);
    expect(follow.line).toBe(11);
  });

  it('reads a line when it is complete, or when the text ends', () => {
    const follow = follower();
    follow.push(bytes(illegal.slice(0, 30)));
    expect(follow.due).toBe(null);
    follow.push(bytes(illegal.slice(30)));
    expect(follow.due).toBe(null);
    const { changes, verdict } = follow.finish();
    expect(changes.map((each) => each.event)).toEqual(['finding']);
    expect(verdict.cause).toBe('illegal-access-app-bug');
  });

  it('says when a finding is proved', () => {
    const follow = follower();
    follow.push(bytes(`${mismatch.join('\n')}\n`));
    expect(told(follow)).toEqual(['finding driver/kmod-userspace-mismatch-after-upgrade likely']);
    follow.push(bytes(`${loaded.join('\n')}\n`));
    expect(told(follow)).toEqual(['driver/kmod-userspace-mismatch-after-upgrade likely → proved']);
  });

  it('says when a root explains what was told before', () => {
    const follow = follower();
    follow.push(bytes('RuntimeError: NCCL error: unhandled system error\nRuntimeError: No CUDA GPUs are available\n'));
    follow.look();
    follow.push(bytes(`${mismatch.join('\n')}\n${loaded.join('\n')}\n`));
    const changes = follow.look();
    expect(changes[0]).toMatchObject({ event: 'finding', finding: { cause: 'kmod-userspace-mismatch-after-upgrade' } });
  });

  it('keeps what it told although millions of lines follow', () => {
    const follow = follower();
    follow.push(bytes(`start\n${fallen}\n`));
    expect(told(follow)).toHaveLength(1);
    const flood = bytes(
      Array.from(
        { length: 4000 },
        (_, i) => `NVRM: Xid (PCI:0000:3b:00): 31, pid=${i}, name=python, Ch 00000008\n`,
      ).join(''),
    );
    for (let i = 0; i < 10; i++) follow.push(flood);
    expect(follow.due).not.toBe(null);
    const { verdict } = follow.finish();
    expect(verdict.findings.map((each) => each.cause)).toContain('gpu-fell-off-bus-power');
    expect(follow.documents()[0]!.lines.length).toBeLessThan(8000);
  });

  it('goes on when another file takes its place, and quotes each by its own name', () => {
    const follow = follower();
    follow.push(bytes(`row\n${fallen}\nrow`));
    follow.look();
    follow.replace();
    expect(follow.line).toBe(0);
    follow.push(bytes(`${illegal}\n`));
    const { verdict } = follow.finish();
    expect(verdict.cause).toBe('gpu-fell-off-bus-power');
    expect(verdict.findings[0]!.evidence[0]).toMatchObject({ line: 2, file: 'job.log (before it was replaced, 1)' });
  });

  it('stays bounded over thousands of rotations', () => {
    const follow = follower();
    for (let i = 0; i < 60; i++) {
      follow.push(bytes(`row ${i}\n${illegal}\n${fallen}\n`));
      follow.replace();
    }
    expect(follow.documents().reduce((sum, each) => sum + each.lines.length, 0)).toBeLessThan(3000);
  });

  it('comes to the same verdict as on the whole text, whatever pieces it comes in', () => {
    const text = `${['row', ...mismatch, 'row', ...loaded, 'row', fallen].join('\n')}\n`;
    const whole = diagnose([createDocument(text, { file: 'job.log' })]);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 80 }), { minLength: 1, maxLength: 40 }), (sizes) => {
        const follow = follower();
        const all = bytes(text);
        let at = 0;
        for (let i = 0; at < all.length; i++) {
          const size = sizes[i % sizes.length]!;
          follow.push(all.slice(at, at + size));
          at += size;
        }
        const { verdict } = follow.finish();
        expect(verdict.cause).toBe(whole.cause);
        expect(verdict.findings).toEqual(whole.findings);
      }),
      { numRuns: 25 },
    );
  });

  it('finds a message in a line of megabytes, and one torn by colours', () => {
    const follow = follower();
    follow.push(bytes(`row\n${'x'.repeat(1_500_000)} ${illegal} ${'y'.repeat(600_000)}\nrow\n`));
    expect(told(follow)).toHaveLength(1);
    expect(follow.line).toBe(3);
    const colored = follower();
    colored.push(bytes(`CUDA \u001b[31merr\u001b[0mor: an illegal memory access was encountered\n`));
    expect(told(colored)).toHaveLength(1);
  });
});
