// Real services for the transports: an ssh server, a Slurm cluster of two nodes, a Docker engine. Each runs by itself in a
// folder of its own, on loopback, and is ended with the tests.
import type { ChildProcess } from 'node:child_process';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A service that runs; `problem` says why it does not. */
export interface Service {
  readonly problem: string | null;
  readonly folder: string;
  stop(): void;
}

async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve) => {
          server.on('listening', () => {
            resolve((server.address() as { port: number }).port);
          });
        }),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** Waits until something holds. */
export async function until(holds: () => boolean, limitMs = 20_000): Promise<boolean> {
  const end = performance.now() + limitMs;
  while (!holds()) {
    if (performance.now() > end) return false;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return true;
}

function service(prefix: string): {
  folder: string;
  children: ChildProcess[];
  made: (problem: string | null, stop?: () => void) => Service;
} {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  chmodSync(folder, 0o755);
  const children: ChildProcess[] = [];
  return {
    folder,
    children,
    made: (problem, stop) => ({
      problem,
      folder,
      stop() {
        stop?.();
        for (const child of children) child.kill('SIGTERM');
        spawnSync('sleep', ['0.5']);
        for (const child of children) child.kill('SIGKILL');
        rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
      },
    }),
  };
}

/** An ssh server, and a folder with an `ssh` in it that knows its port and key as a user's configuration would. */
export async function sshServer(): Promise<Service & { readonly port: number }> {
  const { folder, children, made } = service('culprit-sshd-');
  const [port] = await freePorts(1);
  for (const name of ['host', 'other-host', 'user'])
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, name)]);
  mkdirSync('/run/sshd', { recursive: true });
  cpSync(join(folder, 'user.pub'), join(folder, 'authorized'));
  writeFileSync(
    join(folder, 'sshd.conf'),
    `Port ${port}\nListenAddress 127.0.0.1\nHostKey ${folder}/host\nAuthorizedKeysFile ${folder}/authorized\nPidFile none\nStrictModes no\nUsePAM no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\nMaxStartups 100\n`,
  );
  const keyOf = (name: string): string =>
    readFileSync(join(folder, `${name}.pub`), 'utf8')
      .split(' ')
      .slice(0, 2)
      .join(' ');
  writeFileSync(
    join(folder, 'known'),
    ['gpu-1', 'gpu-2', 'gpu-3', 'gpu-4', 'denied', 'jumped', 'jump']
      .map((name) => `${name} ${keyOf('host')}\n`)
      .join('') + `changed ${keyOf('other-host')}\n`,
  );
  writeFileSync(
    join(folder, 'config'),
    `${['gpu-1', 'gpu-2', 'gpu-3', 'gpu-4', 'denied', 'jumped', 'jump', 'changed', 'refused', 'unknown-host'].map((name) => `Host ${name}\n  HostKeyAlias ${name}\n`).join('')}Host jumped
  ProxyJump jump
Host denied
  User no-such-user
Host refused
  Port 1
Host *
  HostName 127.0.0.1
  Port ${port}
  IdentityFile ${folder}/user
  IdentitiesOnly yes
  IdentityAgent none
  UserKnownHostsFile ${folder}/known
  GlobalKnownHostsFile /dev/null
  StrictHostKeyChecking yes
`,
  );
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'ssh'), `#!/bin/sh\nexec /usr/bin/ssh -F ${folder}/config "$@"\n`);
  chmodSync(join(bin, 'ssh'), 0o755);
  children.push(spawn('/usr/sbin/sshd', ['-D', '-e', '-f', join(folder, 'sshd.conf')], { stdio: 'ignore' }));
  const up = await until(
    () => spawnSync(join(bin, 'ssh'), ['-o', 'BatchMode=yes', 'gpu-1', 'true']).status === 0,
    10_000,
  );
  return { ...made(up ? null : 'sshd does not answer'), port: port! };
}

/** Slurm with two nodes on this machine. */
export async function slurmCluster(): Promise<Service & { readonly config: string }> {
  const { folder, children, made } = service('culprit-slurm-');
  const config = join(folder, 'slurm.conf');
  const [controller, one, two] = await freePorts(3);
  const short = hostname().split('.')[0]!;
  const socket = join(folder, 'munge', 'socket');
  for (const name of ['state', 'spool', 'munge']) mkdirSync(join(folder, name));
  const key = join(folder, 'munge', 'key');
  writeFileSync(key, Buffer.from(Array.from({ length: 128 }, () => Math.floor(Math.random() * 256))), { mode: 0o400 });
  writeFileSync(
    config,
    `ClusterName=test
SlurmctldHost=${short}(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=${socket}
CredType=cred/munge
StateSaveLocation=${folder}/state
SlurmdSpoolDir=${folder}/spool/%n
SlurmctldPidFile=${folder}/controller.pid
SlurmdPidFile=${folder}/%n.pid
SlurmctldLogFile=${folder}/controller.log
SlurmdLogFile=${folder}/%n.log
SlurmctldPort=${controller}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
ReturnToService=2
NodeName=n1 NodeHostname=${short} NodeAddr=127.0.0.1 Port=${one} CPUs=2 State=UNKNOWN
NodeName=n2 NodeHostname=${short} NodeAddr=127.0.0.1 Port=${two} CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=60 State=UP
`,
  );
  const env = { ...process.env, SLURM_CONF: config };
  const start = (program: string, args: readonly string[]): void => {
    children.push(spawn(program, args, { stdio: 'ignore', env }));
  };
  const files = (name: string): string => join(folder, 'munge', name);
  start('munged', [
    '--foreground',
    '--force',
    `--key-file=${key}`,
    `--socket=${socket}`,
    `--pid-file=${files('pid')}`,
    `--log-file=${files('log')}`,
    `--seed-file=${files('seed')}`,
  ]);
  if (!(await until(() => existsSync(socket), 5000))) return { ...made('munged does not start'), config };
  start('slurmctld', ['-D', '-c', '-f', config]);
  start('slurmd', ['-D', '-N', 'n1', '-f', config]);
  start('slurmd', ['-D', '-N', 'n2', '-f', config]);
  const up = await until(
    () => /^idle\s+2$/m.test(spawnSync('sinfo', ['-h', '-o', '%t %D'], { env, encoding: 'utf8' }).stdout ?? ''),
    20_000,
  );
  return { ...made(up ? null : 'the nodes of Slurm do not come up'), config };
}

/** Root file systems as archives: one with a shell, one without. */
function images(folder: string): readonly (readonly [string, Buffer])[] {
  return (
    [
      ['shell', 'busybox'],
      ['bare', 'sleep'],
    ] as const
  ).map(([name, program]) => {
    const root = join(folder, name);
    mkdirSync(join(root, 'bin'), { recursive: true });
    const busybox = String(execFileSync('sh', ['-c', 'command -v busybox'])).trim();
    cpSync(busybox, join(root, 'bin', program), { dereference: true });
    if (name === 'shell')
      for (const applet of ['sh', 'sleep', 'cat', 'ls', 'uname', 'head', 'tr'])
        execFileSync('ln', ['-s', 'busybox', join(root, 'bin', applet)]);
    for (const [library] of String(spawnSync('ldd', [busybox]).stdout).matchAll(/\/\S+/g)) {
      mkdirSync(join(root, dirname(library)), { recursive: true });
      cpSync(library, join(root, library), { dereference: true });
    }
    return [name, spawnSync('tar', ['-C', root, '-c', '.'], { maxBuffer: 64 * 1024 * 1024 }).stdout] as const;
  });
}

/**
 * Podman with the same three containers. Where the limits of processes may not be raised, as in a sandbox, it starts
 * containers with lower ones only.
 */
export function podmanEngine(): Service & { readonly env: Readonly<Record<string, string>> } {
  const { folder, made } = service('culprit-podman-');
  const env = {
    CONTAINERS_STORAGE_CONF: join(folder, 'storage.conf'),
    CONTAINERS_CONF: join(folder, 'containers.conf'),
  };
  writeFileSync(
    env.CONTAINERS_STORAGE_CONF,
    `[storage]\ndriver = "vfs"\ngraphroot = "${folder}/graph"\nrunroot = "${folder}/run"\n`,
  );
  writeFileSync(
    env.CONTAINERS_CONF,
    '[containers]\ndefault_ulimits = ["nofile=1000:1000", "nproc=1000:1000"]\nnetns = "none"\n' +
      '[engine]\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\nruntime = "runc"\n',
  );
  const podman = (args: readonly string[], input?: Buffer): { status: number | null; said: string } => {
    const ran = spawnSync('podman', args, {
      env: { ...process.env, ...env },
      ...(input === undefined ? {} : { input }),
      timeout: 60_000,
    });
    return { status: ran.status, said: String(ran.stderr) };
  };
  const stop = (): void => {
    podman(['rm', '-af', '-t', '0']);
  };
  for (const [name, image] of images(folder)) {
    for (const done of [
      podman(['import', '-', `${name}:1`], image),
      podman(['run', '-d', '--name', name, `${name}:1`, '/bin/sleep', '600']),
    ])
      if (done.status !== 0) return { ...made(`no container runs here: ${done.said.trim()}`, stop), env };
  }
  podman(['run', '--name', 'ended', 'shell:1', '/bin/sh', '-c', 'exit 3']);
  return { ...made(null, stop), env };
}

/** A Docker engine with three containers: one with a shell, one without, one that has ended. */
export async function dockerEngine(): Promise<Service & { readonly socket: string }> {
  const { folder, children, made } = service('culprit-docker-');
  const socket = `unix://${folder}/socket`;
  children.push(
    spawn(
      'dockerd',
      [
        '--data-root',
        join(folder, 'data'),
        '--exec-root',
        join(folder, 'exec'),
        '--pidfile',
        join(folder, 'pid'),
        '-H',
        socket,
        '--bridge=none',
        '--iptables=false',
        '-s',
        'vfs',
      ],
      { stdio: 'ignore' },
    ),
  );
  const env = { ...process.env, DOCKER_HOST: socket };
  const docker = (args: readonly string[], input?: Buffer): { status: number | null; said: string } => {
    const ran = spawnSync('docker', args, { env, ...(input === undefined ? {} : { input }), timeout: 60_000 });
    return { status: ran.status, said: String(ran.stderr) };
  };
  const stop = (): void => {
    for (const name of ['shell', 'bare', 'ended']) docker(['rm', '-f', name]);
  };
  if (!(await until(() => docker(['version']).status === 0, 30_000)))
    return { ...made('dockerd does not start here', stop), socket };
  for (const [name, image] of images(folder)) {
    for (const done of [
      docker(['import', '-', `${name}:1`], image),
      docker(['run', '-d', '--name', name, '--network', 'none', `${name}:1`, '/bin/sleep', '600']),
    ])
      if (done.status !== 0) return { ...made(`no container runs here: ${done.said.trim()}`, stop), socket };
  }
  docker(['run', '--name', 'ended', '--network', 'none', 'shell:1', '/bin/sh', '-c', 'exit 3']);
  return { ...made(null, stop), socket };
}
