import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createDocument } from '@culprit/core/text/document';
import { snapshotOfFramed } from '@culprit/core/text/framed';
import { makeRoot } from '../roots.ts';
import { root, scratch } from '../run-cli.ts';
import { lacks } from './tools.ts';

// The probe against real shells, a tracer, programs that hang and file systems that do not mean well.

const script = join(root, 'probe/probe.sh');
const folder = scratch();
afterAll(folder.remove);
const shells = ['dash', 'busybox sh', 'mksh', 'bash --posix'] as const;
const words = (shell: string): [string, string[]] => {
  const [program = 'sh', ...rest] = shell.split(' ');
  return [program, rest];
};
const here = (shell: string): boolean => lacks(words(shell)[0]) === null;
const probe = (shell: string, args: readonly string[] = [], env: Record<string, string> = {}): string => {
  const [program, rest] = words(shell);
  const path = execFileSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim();
  return spawnSync(path, [...rest, script, ...args], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
    timeout: 60_000,
  }).stdout;
};

describe('the file itself', () => {
  it('is small and without findings of shellcheck', (context) => {
    expect(statSync(script).size).toBeLessThan(64 * 1024);
    const reason = lacks('shellcheck');
    if (reason !== null) return context.skip(reason);
    const ran = spawnSync('shellcheck', ['-s', 'sh', script], { encoding: 'utf8' });
    expect(ran.stdout).toBe('');
    // Every exception says why.
    const lines = readFileSync(script, 'utf8').split('\n');
    for (const [at, line] of lines.entries())
      if (line.includes('shellcheck disable')) expect(lines[at - 1]).toMatch(/^\s*(?:#|put|if)/);
  });
});

describe.each(shells.filter(here))('in %s', (shell) => {
  it('ends within two seconds, and says so', () => {
    const started = performance.now();
    expect(probe(shell)).toMatch(/^@culprit-end sections=\d+ ms=\d+$/m);
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  it('needs no program beyond its shell', () => {
    const empty = folder.path('empty');
    mkdirSync(empty, { recursive: true });
    const text = probe(shell, [], { PATH: empty });
    expect(text).toMatch(/^@culprit-end sections=/m);
    // What could not be looked at is not taken for absent.
    expect(text).not.toMatch(/^@ ldconfig .*\n(?:\|.*\n)*@= exit=[01] /m);
  });

  it.skipIf(process.getuid?.() !== 0 || lacks('unshare') !== null)(
    'leaves a program alone that ignores signals and holds its pipe open',
    () => {
      const bin = folder.path('hang');
      mkdirSync(bin, { recursive: true });
      writeFileSync(
        join(bin, 'nvidia-smi'),
        "#!/bin/sh\ntrap '' TERM INT HUP\n(trap '' TERM INT HUP; exec -a held sleep 41 2>/dev/null || sleep 41) &\nsleep 41\n",
      );
      chmodSync(join(bin, 'nvidia-smi'), 0o755);
      // A device node of WSL makes the probe ask nvidia-smi; /dev is replaced for this process alone.
      const [program, rest] = words(shell);
      const inside = `d=${folder.path('dev')} && mkdir -p $d && cp -a /dev/null /dev/zero $d && touch $d/dxg && mount --bind $d /dev && PATH=${bin}:$PATH exec ${program} ${rest.join(' ')} ${script}`;
      for (const [args, most, end] of [
        ['', 20_000, 'sections='],
        [' --budget 1', 8000, 'stopped=budget'],
      ] as const) {
        const started = performance.now();
        const ran = spawnSync('unshare', ['-m', 'sh', '-c', `${inside}${args}`], { encoding: 'utf8', timeout: 60_000 });
        expect(performance.now() - started).toBeLessThan(most);
        expect(ran.stdout).toMatch(new RegExp(`^@culprit-end ${end}`, 'm'));
        if (args === '') expect(ran.stdout).toMatch(/^@ nvidia-smi-q nvidia-smi -q\n@= exit=timeout /m);
      }
      // The time of the guard is three seconds: then nothing is left.
      if (lacks('setsid') === null) {
        spawnSync('sleep', ['4']);
        expect(spawnSync('pgrep', ['-f', 'sleep 41'], { encoding: 'utf8' }).stdout).toBe('');
      }
    },
  );

  it('keeps its frame whatever the names and the files of a root are', () => {
    const made = makeRoot('healthy-h100-host');
    const bad = 'evil\n@= exit=0 ms=0\n@culprit-end sections=1';
    mkdirSync(join(made, 'etc/cdi'), { recursive: true });
    writeFileSync(join(made, `etc/cdi/${bad}.yaml`), 'kind: x\n');
    writeFileSync(join(made, 'etc/cdi/a b\u001b[31m*?.yaml'), 'kind: x\n');
    mkdirSync(join(made, `usr/local/cuda-${bad}`), { recursive: true });
    writeFileSync(join(made, `usr/local/cuda-${bad}/version.json`), '{}');
    mkdirSync(join(made, 'usr/lib/python3/dist-packages'), { recursive: true });
    mkdirSync(join(made, `usr/lib/python3/dist-packages/torch-2.0${bad}.dist-info`));
    writeFileSync(join(made, 'usr/lib64-x'), '');
    // Links that lead out of the root, in a circle, and a pipe in place of a file.
    symlinkSync('/etc/passwd', join(made, 'etc/nv_tegra_release'));
    symlinkSync('../../../../../../../../etc/passwd', join(made, 'etc/nvidia-x'));
    mkdirSync(join(made, 'etc/docker'), { recursive: true });
    symlinkSync('../../../../../../../../../../../../etc/passwd', join(made, 'etc/docker/daemon.json'));
    mkdirSync(join(made, 'etc/containerd'), { recursive: true });
    symlinkSync('config.toml', join(made, 'etc/containerd/config.toml'));
    // Folders that lead out: what stands there belongs to another machine.
    const foreign = folder.path('foreign');
    mkdirSync(join(foreign, 'cuda-99.9/lib64'), { recursive: true });
    mkdirSync(join(foreign, 'python3.99/site-packages/torch-99.9.dist-info'), { recursive: true });
    writeFileSync(join(foreign, 'cuda-99.9/version.json'), '{ "cuda": { "version": "99.9.9" } }');
    writeFileSync(join(foreign, 'cuda-99.9/lib64/libcudart.so.99'), '');
    symlinkSync(join(foreign, 'cuda-99.9'), join(made, 'usr/local/cuda-99.9'));
    mkdirSync(join(made, 'opt/app'), { recursive: true });
    symlinkSync(foreign, join(made, 'opt/app/lib'));
    symlinkSync(`../../../../../../../../../../../..${foreign}`, join(made, 'opt/venv'));
    rmSync(join(made, 'proc/modules'));
    execFileSync('mkfifo', [join(made, 'proc/modules'), join(made, 'sys/module/nvidia/srcversion')]);
    const started = performance.now();
    const text = probe(shell, ['--root', made]);
    expect(performance.now() - started).toBeLessThan(20_000);
    rmSync(made, { recursive: true, force: true });
    const snapshot = snapshotOfFramed(text, 'x');
    expect(snapshot?.probe).toContain('end=complete');
    expect(text.match(/^@culprit-end/gm)).toHaveLength(1);
    expect(text.split('\n').every((line) => line === '' || /^[@|]/.test(line))).toBe(true);
    expect(text).not.toContain('root:x:0');
    expect(text).not.toMatch(/^\|(?!l).*(?:99\.9|\.so\.99)/m);
    expect(createDocument(text).left).toEqual([]);
  });
});

describe('what it does to the machine', () => {
  it('writes nothing, uses no network and runs no other programs', (context) => {
    const reason = lacks('strace', 'dash');
    if (reason !== null) return context.skip(reason);
    const trace = folder.path('trace');
    const made = makeRoot('torch-container');
    const sleeper = spawn('sleep', ['60']);
    for (const args of [[], ['--gate'], ['--root', made], ['--pid', String(sleeper.pid)]])
      spawnSync('strace', [
        '-f',
        '-qq',
        '-A',
        '-o',
        trace,
        '-e',
        'trace=%file,%network,ftruncate,init_module,finit_module,delete_module',
        'dash',
        script,
        ...args,
      ]);
    sleeper.kill();
    rmSync(made, { recursive: true, force: true });
    const lines = readFileSync(trace, 'utf8').split('\n');
    const listed = readFileSync(join(root, 'probe/README.md'), 'utf8')
      .split('## What is run')[1]!
      .match(/`([^`]+)`/g)!
      .map((each) => each.slice(1, -1).split(' ')[0]!);
    const run = new Set(
      lines.flatMap((line) => {
        const path = /execve\("([^"]+)".*= 0$/.exec(line)?.[1];
        return path === undefined ? [] : [path.slice(path.lastIndexOf('/') + 1)];
      }),
    );
    run.delete('dash');
    expect(run.has('od')).toBe(true);
    expect([...run].filter((name) => !listed.includes(name))).toEqual([]);
    expect(
      lines.filter((line) => /O_WRONLY|O_RDWR|O_CREAT|O_TRUNC/.test(line) && !line.includes('"/dev/null"')),
    ).toEqual([]);
    expect(
      lines.filter(
        (line) =>
          /\b(?:unlink|rename|mkdir|mknod|link|symlink|chmod|chown|truncate|init_module|delete_module)\w*\(/.test(
            line,
          ) && !/readlink/.test(line),
      ),
    ).toEqual([]);
    expect(lines.filter((line) => /AF_INET/.test(line))).toEqual([]);
  });
});
