// The single file: the same verdicts as the Node build, soon, on old systems, for both machines.
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, readSync, statSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { culprit, root, scratch } from '../run-cli.ts';
import { lacks } from './tools.ts';

const folder = scratch();
afterAll(folder.remove);

const built = spawnSync(process.execPath, [join(root, 'scripts/build-binary.mjs')], {
  encoding: 'utf8',
  timeout: 600_000,
});
const missing =
  built.status === 0
    ? null
    : `the binary cannot be built: ${built.stderr.trim().split('\n').at(-1) ?? 'no reason given'}`;
if (missing !== null && !/npm pack/.test(missing)) throw new Error(built.stderr);
const file = (machine: string): string => join(root, 'dist', `culprit-linux-${machine}`);
const own = process.arch === 'arm64' ? 'arm64' : 'x64';

function run(
  program: string,
  args: readonly string[],
  env: Record<string, string> = {},
): { status: number | null; out: string; err: string; ms: number } {
  const began = performance.now();
  const ran = spawnSync(program, args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, ...env },
    maxBuffer: 64 << 20,
    timeout: 120_000,
  });
  return { status: ran.status, out: ran.stdout, err: ran.stderr, ms: performance.now() - began };
}

/** The fastest of several, in ms: on a machine that is busy with something else the processor's time, else all of it. */
function fastest(args: readonly string[], times = 15): number {
  const busy = loadavg()[0]! > cpus().length / 2;
  const script = `TIMEFORMAT='%R %U %S'; time ${file(own)} ${args.join(' ')} >/dev/null`;
  const taken = Array.from({ length: times }, () => {
    const [real = 0, user = 0, system = 0] = run('bash', ['-c', script]).err.trim().split(' ').map(Number);
    return (busy ? user + system : real) * 1000;
  });
  return Math.min(...taken);
}

const probeText = (rootFolder: string): string => run('sh', [join(root, 'probe/probe.sh'), '--root', rootFolder]).out;

function made(name: string, text: string): string {
  const path = folder.path(name);
  writeFileSync(path, text);
  return path;
}

const inputs: readonly string[] =
  missing !== null
    ? []
    : [
        ...[
          'healthy-dump.txt',
          'nccl-fast.log',
          'nccl-slow.log',
          'new-gpu-old-wheel.txt',
          'one-gpu-lost.log',
          'upgrade-under-load.txt',
        ].map((name) => `examples/${name}`),
        made('empty.txt', ''),
        made(
          'odd.txt',
          '\u0000\ufeff[rank3]: \ud83d\ude00 NCCL WARN Cuda failure 999 \u001b[31munknown error\u001b[0m\r\n'.repeat(
            50,
          ),
        ),
        made('probe.txt', probeText('/')),
        made('xid.txt', 'NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, name=python, GPU has fallen off the bus.\n'),
      ];

describe.skipIf(missing !== null)(`the single file${missing === null ? '' : ` (skipped: ${missing})`}`, () => {
  it.each(inputs.map((input, at) => [at + 1, input] as const))(
    'gives the verdict of the Node build on input %i',
    (_, input) => {
      const ours = run(file(own), ['diagnose', '--format', 'json', input]);
      const nodes = culprit(['diagnose', '--format', 'json', input]);
      expect(ours.out).toBe(nodes.out);
      expect(ours.status).toBe(nodes.status);
    },
  );

  it('judges, explains and prints its probe as the Node build does', () => {
    for (const args of [
      ['judge', 'torch 2.7.0+cu128 on driver 550.54.15 with V100'],
      ['explain', '804'],
      ['explain', 'driver/kmod-userspace-mismatch-after-upgrade'],
      ['probe'],
      ['help'],
    ])
      expect(run(file(own), args).out, args.join(' ')).toBe(culprit(args).out);
  });

  it('starts in less than 100 ms', () => {
    expect(fastest(['--version'])).toBeLessThan(100);
  });

  it('is a gate within a second, also when its work hangs', () => {
    expect(fastest(['check', '--gate'], 7)).toBeLessThan(1000);
    spawnSync('mkfifo', [folder.path('pipe')]);
    const hung = run(file(own), ['check', '--gate', '--output', folder.path('pipe'), '--knowledge', folder.path('')]);
    expect(hung).toMatchObject({ status: 0, out: expect.stringMatching(/^culprit: [ -~]{1,90}\n$/) });
    expect(hung.ms).toBeLessThan(5000);
  });

  it('reads no settings of the folder that it is started in', () => {
    mkdirSync(folder.path('odd'));
    writeFileSync(folder.path('odd/.env'), 'CULPRIT_GATE_DEADLINE=1\nNO_COLOR=\n');
    writeFileSync(folder.path('odd/bunfig.toml'), 'preload = ["./evil.js"]\n');
    writeFileSync(folder.path('odd/evil.js'), 'console.log("loaded");\n');
    const ran = spawnSync(file(own), ['check', '--gate', '--budget', '20'], {
      cwd: folder.path('odd'),
      encoding: 'utf8',
    });
    expect(ran.stdout).toMatch(/^culprit: (?!no verdict)/);
    expect(ran.stdout).not.toContain('loaded');
  });

  it.each([
    ['x64', 62],
    ['arm64', 183],
  ])('%s: is a program of that machine, below 160 MB', (machine, number) => {
    const head = Buffer.alloc(20);
    const fd = openSync(file(machine), 'r');
    readSync(fd, head, 0, 20, 0);
    closeSync(fd);
    expect(head.subarray(0, 4).toString('latin1')).toBe('\u007fELF');
    expect(head.readUInt16LE(18)).toBe(number);
    expect(statSync(file(machine)).size).toBeLessThan(160e6);
  });

  const noReadelf = lacks('readelf');
  it.skipIf(noReadelf !== null).each(['x64', 'arm64'])(
    `%s: needs glibc 2.17 and no more${noReadelf === null ? '' : ` (skipped: ${noReadelf})`}`,
    (machine) => {
      const { out } = run('readelf', ['-V', file(machine)]);
      const minor = [...out.matchAll(/GLIBC_2\.(\d+)/g)].map((match) => Number(match[1]));
      expect(minor.length).toBeGreaterThan(0);
      expect(Math.max(...minor)).toBeLessThanOrEqual(17);
    },
  );

  const noArm =
    own === 'arm64'
      ? null
      : (lacks('qemu-aarch64-static') ??
        (statSync('/usr/aarch64-linux-gnu/lib', { throwIfNoEntry: false }) === undefined
          ? 'libc6-arm64-cross is not installed'
          : null));
  it.skipIf(noArm !== null)(
    `arm64: runs, and gives the same verdict${noArm === null ? '' : ` (skipped: ${noArm})`}`,
    () => {
      const program = own === 'arm64' ? file('arm64') : 'qemu-aarch64-static';
      const before = own === 'arm64' ? [] : ['-L', '/usr/aarch64-linux-gnu', file('arm64')];
      const input = 'examples/upgrade-under-load.txt';
      expect(run(program, [...before, 'diagnose', '-f', 'json', input]).out).toBe(
        culprit(['diagnose', '-f', 'json', input]).out,
      );
    },
  );

  it('brings the licence of what is inside', () => {
    expect(readFileSync(join(root, 'dist/licenses.txt'), 'utf8')).toMatch(/^Bun 1\.4\.4\n/m);
  });
});
