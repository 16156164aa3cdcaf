import { rmSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { makeRoot } from './roots.ts';
import { culprit, scratch } from './run-cli.ts';

const folder = scratch();
const roots = {
  upgraded: makeRoot('upgraded-not-rebooted-host'),
  healthy: makeRoot('healthy-h100-host'),
  none: makeRoot('no-gpu'),
};
afterAll(() => {
  folder.remove();
  for (const root of Object.values(roots)) rmSync(root, { recursive: true, force: true });
});

interface Shown {
  readonly status: string;
  readonly cause: string | null;
  readonly findings: readonly {
    readonly rule: string;
    readonly message: string;
    readonly evidence: readonly { readonly file: string | null }[];
  }[];
}
const verdictOf = (text: string): Shown => JSON.parse(text) as Shown;
/** A verdict without the file that it was read from. */
const placeless = (text: string): string => text.replaceAll(/"file": ?(?:null|"[^"]*")/g, '"file": null');

describe('culprit check', () => {
  it('says in one line that there is no GPU, and exits with 0', () => {
    const ran = culprit(['check', '--root', roots.none]);
    expect(ran.status).toBe(0);
    expect(ran.out.trim().split('\n')).toHaveLength(1);
    expect(ran.out).toContain('no NVIDIA GPU');
  });

  it('blames what is there, with the lines that prove it', () => {
    const ran = culprit(['check', '--root', roots.upgraded, '-f', 'json']);
    expect(ran.status).toBe(1);
    const verdict = verdictOf(ran.out);
    expect(verdict.cause).toBe('kmod-userspace-mismatch-after-upgrade');
    expect(verdict.findings[0]?.message).toContain('570.86.15');
  });

  it.each(['seen.json', 'seen.json.gz'])('gives the same verdict from what it saved in %s', (name) => {
    const file = folder.path(name);
    const live = culprit(['check', '--root', roots.upgraded, '--save', file, '--no-redact', '-f', 'json']);
    const later = culprit(['diagnose', file, '-f', 'json']);
    expect(placeless(later.out)).toBe(placeless(live.out));
    expect(later.status).toBe(live.status);
    const bytes = readFileSync(file);
    const text = name.endsWith('.gz') ? gunzipSync(bytes).toString('utf8') : bytes.toString('utf8');
    expect(JSON.parse(text)).toMatchObject({
      schema: 'culprit/snapshot@1',
      probe: expect.stringContaining('end=complete') as string,
    });
  });

  it('takes what a probe printed elsewhere, quoted or not', () => {
    const text = culprit(['probe', '--run', '--root', roots.upgraded]).out;
    expect(text.startsWith('@culprit-probe 1 ')).toBe(true);
    for (const input of [text, text.replaceAll(/^(?=.)/gm, '> '), text.replaceAll('\n', '\r\n')]) {
      expect(culprit(['check', '-'], { input }).status).toBe(1);
      expect(culprit(['diagnose', '-'], { input }).out).toContain('570.86.15');
    }
  });

  it.each([
    [['gpu17'], '', 2, /by a flag, not gpu17\n {2}--ssh gpu17/],
    [['package.json'], '', 2, /culprit diagnose package\.json reads a saved snapshot/],
    [['--pid', 'abc'], '', 2, /--pid takes the number of a process, not "abc"/],
    [['-'], '#!/bin/sh\necho @culprit-probe 1\n', 4, /is the probe itself.*\n {2}culprit probe \| ssh NODE sh -s/],
    [['-'], 'hello\n', 4, /holds nothing that a probe printed/],
  ] as const)('%j says what is meant', (args, input, status, message) => {
    const ran = culprit(['check', ...args], { input });
    expect(ran.status).toBe(status);
    expect(ran.err).toMatch(message);
  });

  it('a folder that is no root file system is told', () => {
    expect(culprit(['check', '--root', folder.path('.')]).err).toMatch(/is it a root file system/);
  });

  it('compares what was saved', () => {
    const good = folder.path('good.json');
    const bad = folder.path('bad.json');
    culprit(['check', '--root', roots.healthy, '--save', good]);
    culprit(['check', '--root', roots.upgraded, '--save', bad]);
    const ran = culprit(['diff', good, bad]);
    expect(ran.status).toBe(1);
    expect(ran.out).toContain('570.86.15');
  });

  it('lists the stack', () => {
    const ran = culprit(['check', '--root', roots.healthy, '--inventory']);
    expect(ran.status).toBe(0);
    expect(ran.out.split('\n')[0]).toMatch(/^driver 580\.95\.05; \d+ GPUs? on the PCI bus; CUDA 12\.8\.1/);
    for (const text of ['580.95.05', 'libcuda.so.1', 'CUDA  12.8.1', 'mlx5_0 port 1', '0000:19:00.0'])
      expect(ran.out).toContain(text);
    const made = JSON.parse(culprit(['check', '--root', roots.healthy, '--inventory', '-f', 'json']).out) as {
      schema: string;
    };
    expect(made.schema).toBe('culprit/inventory@1');
  });

  it('leaves names out of what it saves, unless told otherwise', () => {
    const text = [
      '@culprit-probe 1 2026-11-30T08:00:00Z root=/ pid=- gate=no',
      '@ uname uname -a',
      '|Linux gpu17.example.org 6.8.0-45-generic #45-Ubuntu SMP x86_64 x86_64 x86_64 GNU/Linux',
      '@= exit=0 ms=0',
      '@culprit-end sections=1 ms=1',
      '',
    ].join('\n');
    const file = folder.path('named.json');
    culprit(['check', '-', '--save', file], { input: text });
    expect(readFileSync(file, 'utf8')).not.toContain('gpu17');
    culprit(['check', '-', '--save', file, '--no-redact'], { input: text });
    expect(readFileSync(file, 'utf8')).toContain('gpu17');
  });

  it('looks at several processes, and says what could not be looked at', () => {
    const ran = culprit(['check', '--pid', String(process.pid), '--pid', String(process.ppid), '-f', 'json']);
    const made = JSON.parse(ran.out) as { targets: readonly { target: string; verdict: unknown }[] };
    expect(made.targets.map((each) => each.target)).toEqual([`process ${process.pid}`, `process ${process.ppid}`]);
  });

  it.each([
    [['check', 'file.json'], 2],
    [['check', '--root', '/no/such/folder'], 2],
    [['check', '--budget', 'soon'], 2],
    [['check', '--no-redact'], 2],
    [['probe', '--root', '/'], 2],
    [['probe', 'x'], 2],
  ])('%s is wrong usage', (args, status) => {
    expect(culprit(args).status).toBe(status);
  });

  it('says that standard input is no probe', () => {
    const ran = culprit(['check', '-'], { input: 'hello\n' });
    expect(ran.status).toBe(4);
    expect(ran.err).toContain('probe');
  });
});

describe('culprit probe', () => {
  it('prints the script', () => {
    const ran = culprit(['probe']);
    expect(ran.out).toBe(readFileSync(new URL('../probe/probe.sh', import.meta.url), 'utf8'));
  });

  it('cannot tell anything of an observation that failed', () => {
    const input = [
      '@culprit-probe 1 - root=/ pid=- gate=no',
      '@ sys-module-version cat /sys/module/nvidia/version',
      '|580.95.05',
      '@= exit=0 ms=0',
      '@ nvidia-smi-q nvidia-smi -q',
      '@= exit=denied ms=0',
      '@ kernel-log dmesg',
      '@= exit=denied ms=0',
      '@culprit-end sections=3 ms=1',
      '',
    ].join('\n');
    const ran = culprit(['check', '-', '-f', 'json'], { input });
    const verdict = JSON.parse(ran.out) as { status: string; unknown: readonly { ask: string }[] };
    expect(verdict.status).toBe('cannot-tell');
    expect(verdict.unknown.map((each) => each.ask)).toEqual(expect.arrayContaining(['nvidia-smi -q', 'dmesg']));
  });
});
