import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entry, root } from '../run-cli.ts';
import { lacks } from './tools.ts';
import type { Service } from './transports-services.ts';
import { sshServer } from './transports-services.ts';

// Live sampling with a stand-in for nvidia-smi that prints what real drivers print: GPU 0 moves pages over PCIe and has
// idle SMs, GPU 1 works.

const standIn = fileURLToPath(new URL('nvidia-smi-stand-in.sh', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'culprit-sampling-'));
copyFileSync(standIn, join(folder, 'nvidia-smi'));
const path = `${folder}:${process.env['PATH']!}`;
const withoutGpu = process.env['PATH']!;
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Ran {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
  readonly seconds: number;
}

function util(
  args: readonly string[],
  options: { readonly env?: Readonly<Record<string, string>>; readonly interruptAfter?: number } = {},
): Promise<Ran> {
  const began = performance.now();
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [entry, 'util', ...args], {
      env: { ...process.env, PATH: path, ...options.env },
    });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    if (options.interruptAfter !== undefined) setTimeout(() => child.kill('SIGINT'), options.interruptAfter * 1000);
    child.on('close', (status) => resolve({ status, out, err, seconds: (performance.now() - began) / 1000 }));
  });
}

const thrash = { status: 'performance', cause: 'managed-memory-page-faults' };
const verdict = ({ out, err }: Ran): Record<string, unknown> => {
  expect(out, err).toMatch(/^\{/);
  return JSON.parse(out) as Record<string, unknown>;
};
/** Processes of the stand-in that still run. */
const left = (): string =>
  spawnSync('sh', [
    '-c',
    `ps -eo pid,args | grep -F '${folder}/nvidia-smi' | grep -v grep; ps -eo args | grep -x 'sleep 600'`,
  ])
    .stdout.toString()
    .trim();

describe('sampling here', () => {
  it('judges what the GPUs do, and the file that it kept judges the same', async () => {
    const file = join(folder, 'kept.json');
    const ran = await util(['--for', '14s', '--format', 'json', '--save', file]);
    expect(verdict(ran)).toMatchObject(thrash);
    expect(ran.status).toBe(1);
    expect(ran.err).toMatch(/sampling this machine for 14 s/);
    expect(ran.seconds).toBeLessThan(35);
    const again = await util([file, '--format', 'json']);
    expect(verdict(again)).toMatchObject(thrash);
    expect(left()).toBe('');
  });

  it('of an old driver asks again for less', async () => {
    const ran = await util(['--for', '12s', '--format', 'json'], { env: { SMI_AGE: 'old' } });
    const facts = verdict(ran)['facts'] as readonly { readonly id: string; readonly value: unknown }[];
    const samples = facts.find(({ id }) => id === 'util.gpu0.samples')?.value as number;
    expect(samples).toBeGreaterThan(8);
    expect(samples).toBeLessThan(16);
  });

  it('is ended early by an interrupt, and judges what it has', async () => {
    const ran = await util(['--for', '120s', '--format', 'json'], { interruptAfter: 15 });
    expect(ran.seconds).toBeLessThan(25);
    expect(ran.err).toMatch(/ended early/);
    expect(verdict(ran)).toMatchObject(thrash);
    expect(left()).toBe('');
  });

  it('says that nvidia-smi hangs, and leaves nothing of it', async () => {
    const ran = await util(['--for', '3s'], { env: { SMI_AGE: 'hang' } });
    expect(ran.out).toMatch(/nvidia-smi hangs/);
    expect(ran.status).toBe(3);
    expect(ran.seconds).toBeLessThan(30);
    expect(left()).toBe('');
  });

  it('says what nvidia-smi says where it reaches no GPU', async () => {
    const ran = await util(['--for', '3s'], { env: { SMI_AGE: 'none' } });
    expect(ran.out).toMatch(/NVIDIA-SMI has failed/);
    expect(ran.out).toMatch(/nothing was sampled/);
  });

  it('says where there is no nvidia-smi', async () => {
    if (spawnSync('sh', ['-c', 'command -v nvidia-smi'], { env: { PATH: withoutGpu } }).status === 0) return;
    const ran = await util(['--for', '3s'], { env: { PATH: withoutGpu } });
    expect(ran.out).toMatch(/nvidia-smi is not installed there/);
    expect(ran.status).toBe(3);
  });

  it.each([
    [['--for', '0s']],
    [['--for', 'soon']],
    [['--for', '10s', '--every', '1m']],
    [['--ssh', 'gpu-1']],
    [['--save', 'x.json', 'dmon.log']],
    [['--for', '10s', '--prometheus', 'http://x']],
  ])('refuses %j', async (args) => {
    expect((await util(args)).status).toBe(2);
  });
});

describe('the script', () => {
  const shells: readonly (readonly [string, ...string[]])[] = [['dash'], ['busybox', 'sh'], ['mksh'], ['bash']];
  it.each(shells)('runs in %s', (shell, ...more) => {
    if (lacks(shell) !== null) return;
    const ran = spawnSync(shell, [...more, join(root, 'probe/sample.sh'), '--for', '3'], {
      env: { PATH: path },
    });
    const text = ran.stdout.toString();
    expect(text).toMatch(/^@culprit-probe 1 /);
    expect(text.match(/^%dmon \| ?\d{8}/gm)?.length).toBeGreaterThanOrEqual(4);
    expect(text).toMatch(/@culprit-end/);
  });

  it('is clean by shellcheck', () => {
    if (lacks('shellcheck') !== null) return;
    const ran = spawnSync('shellcheck', [join(root, 'probe/sample.sh'), standIn]);
    expect(ran.stdout.toString()).toBe('');
  });

  it('opens no file for writing', () => {
    if (lacks('strace') !== null) return;
    const ran = spawnSync(
      'strace',
      [
        '-f',
        '-qq',
        '-e',
        'trace=open,openat,creat,mkdir,unlink,rename',
        'sh',
        join(root, 'probe/sample.sh'),
        '--for',
        '2',
      ],
      { env: { PATH: path } },
    );
    const written = ran.stderr
      .toString()
      .split('\n')
      .filter(
        (line) =>
          /O_WRONLY|O_RDWR|O_CREAT|creat\(|mkdir\(|unlink\(|rename\(/.test(line) &&
          !line.includes('"/dev/null"') &&
          !line.includes('"/dev/tty"'),
      );
    expect(written).toEqual([]);
  });
});

describe('sampling on a node of a cluster', () => {
  it('goes into a pod that has all its GPUs, the driver before the exporter', async () => {
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    const pod = (name: string, image: string): object => ({
      metadata: { name, namespace: 'gpu-operator' },
      spec: { nodeName: 'gpu-1', containers: [{ name: 'main', image }] },
      status: { phase: 'Running' },
    });
    const pods = {
      items: [
        pod('web-1', 'nginx'),
        pod('exporter-1', 'nvcr.io/nvidia/k8s/dcgm-exporter:4.4.0'),
        pod('driver-1', 'nvcr.io/nvidia/driver:580.95.05'),
      ],
    };
    writeFileSync(join(bin, 'pods.json'), JSON.stringify(pods));
    // As kubectl: lists pods of a node, may read nothing else, and runs what follows `--` in a pod.
    writeFileSync(
      join(bin, 'kubectl'),
      `#!/bin/sh
echo "$*" >> ${bin}/calls
case $* in
  *'get pods --all-namespaces'*) cat ${bin}/pods.json; exit ;;
  *' exec '*) while [ "$1" != -- ]; do shift; done; shift; exec "$@" ;;
esac
echo 'Error from server (Forbidden): pods is forbidden: User "me" cannot get resource "pods"' >&2
exit 1
`,
      { mode: 0o755 },
    );
    const ran = await util(['--for', '12s', '--node', 'gpu-1', '--format', 'json'], {
      env: { PATH: `${bin}:${path}` },
    });
    expect(verdict(ran)).toMatchObject(thrash);
    expect(readFileSync(join(bin, 'calls'), 'utf8')).toMatch(/exec -i driver-1 -c main/);
  });
});

const noServer = process.getuid?.() === 0 ? lacks('sshd', 'ssh-keygen') : 'only root can start it';
const installed = '/usr/local/bin/nvidia-smi';
if (noServer !== null) console.warn(`skipping sampling over ssh: ${noServer}`);

describe.skipIf(noServer !== null || existsSync(installed))('sampling over a real ssh server', () => {
  let server: Service;
  beforeAll(async () => {
    server = await sshServer();
    expect(server.problem).toBeNull();
    copyFileSync(standIn, installed);
  });
  afterAll(() => {
    rmSync(installed, { force: true });
    server.stop();
  });
  const env = (): Readonly<Record<string, string>> => ({ PATH: `${server.folder}/bin:${withoutGpu}` });

  it('judges one host', async () => {
    const ran = await util(['--for', '13s', '--ssh', 'gpu-1', '--format', 'json'], { env: env() });
    expect(verdict(ran)).toMatchObject(thrash);
  });

  it('names the GPUs of several by their host', async () => {
    const ran = await util(['--for', '13s', '--ssh', 'gpu-[1-2]', '--format', 'csv'], { env: env() });
    const gpus = new Set(
      ran.out
        .split('\n')
        .slice(1)
        .map((line) => line.split(',')[0])
        .filter((id) => id !== ''),
    );
    expect([...gpus].toSorted((a, b) => (a! < b! ? -1 : 1))).toEqual(['gpu-1:0', 'gpu-1:1', 'gpu-2:0', 'gpu-2:1']);
  });

  it('is ended early, and nothing goes on there', async () => {
    const ran = await util(['--for', '120s', '--ssh', 'gpu-1', '--format', 'json'], { env: env(), interruptAfter: 16 });
    expect(verdict(ran)).toMatchObject(thrash);
    const end = performance.now() + 10_000;
    const still = (): string =>
      spawnSync('sh', ['-c', `ps -eo pid,args | grep -F '${installed}' | grep -v grep`])
        .stdout.toString()
        .trim();
    while (still() !== '' && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 300));
    expect(still()).toBe('');
  });

  it('says why a host was not reached', async () => {
    const ran = await util(['--for', '3s', '--ssh', 'refused'], { env: env() });
    expect(ran.status).toBe(4);
    expect(ran.err).toMatch(/connection refused/);
  });
});
