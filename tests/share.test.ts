import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { culprit, scratch } from './run-cli.ts';

const folder = scratch();
afterAll(folder.remove);

const log = [
  'mia@gpu-node-07:~/train$ export HF_TOKEN=hf_abcdefghijklmnopqrstuvwx',
  'gpu-node-07:117:220 [0] NCCL INFO Bootstrap : Using eth0:10.4.0.17<0>',
  'gpu-node-07 kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.',
  '',
].join('\n');
const names = ['mia', 'gpu-node-07', 'hf_abcdefgh', '10.4.0.17'];

describe('what goes to others is redacted', () => {
  it.each(['text', 'json', 'markdown', 'sarif', 'junit', 'github'])('--output writes %s without names', (format) => {
    const path = folder.path(`report.${format}`);
    const ran = culprit(['diagnose', '-f', format, '--output', path, '-'], { input: log });
    expect(ran).toMatchObject({ status: 1, out: '' });
    expect(ran.err).toContain('masked: ');
    const text = readFileSync(path, 'utf8');
    for (const each of names) expect(text).not.toContain(each);
    expect(text).toContain('host-1');
  });

  it('--no-redact leaves all as it is', () => {
    const path = folder.path('plain.txt');
    const ran = culprit(['diagnose', '--no-redact', '-o', path, '-'], { input: log });
    expect(ran.err).toContain('nothing in it is masked');
    expect(readFileSync(path, 'utf8')).toContain('gpu-node-07');
    expect(culprit(['diagnose', '--quiet', '-o', path, '-'], { input: log }).err).toBe('');
  });

  it('standard output is for the operator, unless --redact asks', () => {
    expect(culprit(['diagnose', '-'], { input: log }).out).toContain('gpu-node-07');
    expect(culprit(['diagnose', '--redact', '-'], { input: log }).out).not.toContain('gpu-node-07');
  });

  it('--share prints a block to paste, with versions and what was masked', () => {
    const name = folder.path('gpu-node-07.log');
    writeFileSync(
      name,
      `${log}NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.124.06  Wed Feb 26 02:15:01 UTC 2025\n`,
    );
    const { out, status } = culprit(['diagnose', '--share', name]);
    expect(status).toBe(1);
    for (const each of names) expect(out).not.toContain(each);
    expect(out).toContain('570.124.06');
    expect(out).toMatch(/masked: .*1 host/);
  });

  it('--share fits into a comment and cannot be broken out of', () => {
    const evil = `${'`'.repeat(1500)} NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus. ${'`'.repeat(300)}`;
    const many = Array.from({ length: 3000 }, (_, i) => `${evil} ${i} ${'é'.repeat(200)}`).join('\n');
    const { out } = culprit(['diagnose', '--share', '-'], { input: many });
    expect(Buffer.byteLength(out)).toBeLessThanOrEqual(60 * 1024);
    // A fence is closed only by a line of its own that is at least as long.
    let open = 0;
    for (const line of out.split('\n')) {
      const fence = /^ {0,3}(`{3,})[a-z]*$/.exec(line)?.[1]?.length ?? 0;
      if (open === 0) open = fence;
      else if (fence >= open) open = 0;
      else expect(Math.max(0, ...[...line.matchAll(/`+/g)].map((each) => each[0].length))).toBeLessThan(open);
    }
    expect(open).toBe(0);
  });

  it('says so where the file cannot be written', () => {
    const ran = culprit(['diagnose', '-o', folder.path('no/such/folder/x'), '-'], { input: log });
    expect(ran.status).toBe(4);
    expect(ran.err).toContain('cannot be written');
  });
});
