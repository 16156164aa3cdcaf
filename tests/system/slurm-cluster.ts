// A real Slurm of one node: munged, slurmctld and slurmd on free ports, all files in one folder.
import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';

export interface Cluster {
  readonly node: string;
  /** Runs a command with this cluster's configuration. */
  run(command: string, args: readonly string[]): { readonly status: number | null; readonly out: string };
  /** `State` and `Reason` of the node. */
  state(): { readonly state: string; readonly reason: string };
  waitFor(what: (state: string, reason: string) => boolean, seconds?: number): Promise<boolean>;
  stop(): void;
}

/**
 * Starts it.
 * @param folder empty; readable only by its owner, as munge wants
 * @param settings more lines of slurm.conf
 * @throws Error with the daemons' logs when the node does not come up
 */
export async function startCluster(folder: string, settings: readonly string[]): Promise<Cluster> {
  const node = hostname().split('.')[0]!;
  for (const name of ['state', 'spool', 'munge']) mkdirSync(join(folder, name), { recursive: true });
  for (const each of [folder, join(folder, 'munge')]) chmodSync(each, 0o755);
  const key = join(folder, 'munge/munge.key');
  writeFileSync(key, randomBytes(1024), { mode: 0o600 });
  const [control, daemon] = [await freePort(), await freePort()];
  const socket = join(folder, 'munge/socket');
  const file = join(folder, 'slurm.conf');
  writeFileSync(
    file,
    [
      'ClusterName=test',
      `SlurmctldHost=${node}(127.0.0.1)`,
      'SlurmUser=root',
      `SlurmctldPort=${control}`,
      `SlurmdPort=${daemon}`,
      'AuthType=auth/munge',
      `AuthInfo=socket=${socket}`,
      `StateSaveLocation=${join(folder, 'state')}`,
      `SlurmdSpoolDir=${join(folder, 'spool')}`,
      `SlurmctldPidFile=${join(folder, 'ctld.pid')}`,
      `SlurmdPidFile=${join(folder, 'slurmd.pid')}`,
      `SlurmctldLogFile=${join(folder, 'ctld.log')}`,
      `SlurmdLogFile=${join(folder, 'slurmd.log')}`,
      'ProctrackType=proctrack/linuxproc',
      'TaskPlugin=task/none',
      'SwitchType=switch/none',
      'MpiDefault=none',
      'ReturnToService=2',
      'SlurmdParameters=config_overrides',
      `NodeName=${node} NodeAddr=127.0.0.1 CPUs=1 RealMemory=500 State=UNKNOWN`,
      `PartitionName=all Nodes=${node} Default=YES MaxTime=INFINITE State=UP`,
      ...settings,
      '',
    ].join('\n'),
  );
  const env = { ...process.env, SLURM_CONF: file };
  const started: ChildProcess[] = [];
  const start = (command: string, args: readonly string[]): void =>
    void started.push(spawn(command, args, { env, stdio: 'ignore', detached: true }));
  start('munged', [
    '--foreground',
    '--force',
    `--key-file=${key}`,
    `--socket=${socket}`,
    `--pid-file=${join(folder, 'munge/pid')}`,
    `--log-file=${join(folder, 'munge/log')}`,
    `--seed-file=${join(folder, 'munge/seed')}`,
  ]);
  await pause(500);
  start('slurmctld', ['-D', '-f', file]);
  await pause(500);
  start('slurmd', ['-D', '-f', file]);

  const run: Cluster['run'] = (command, args) => {
    const ran = spawnSync(command, args, { env, encoding: 'utf8', timeout: 60_000 });
    return { status: ran.status, out: `${ran.stdout}${ran.stderr}` };
  };
  const state: Cluster['state'] = () => {
    const { out } = run('scontrol', ['show', 'node', node, '-o']);
    return {
      state: / State=(\S+)/.exec(out)?.[1] ?? '',
      reason: / Reason=(.*?)(?: \[|$)/m.exec(out)?.[1] ?? '',
    };
  };
  const waitFor: Cluster['waitFor'] = async (what, seconds = 30) => {
    for (let at = 0; at < seconds * 4; at++) {
      const now = state();
      if (what(now.state, now.reason)) return true;
      await pause(250);
    }
    return false;
  };
  const stop = (): void => {
    for (const child of started.reverse()) {
      try {
        process.kill(-child.pid!, 'SIGKILL');
      } catch {
        // it has ended
      }
    }
  };
  if (await waitFor((word) => word === 'IDLE')) return { node, run, state, waitFor, stop };
  stop();
  const logs = ['ctld.log', 'slurmd.log', 'munge/log'].map((name) => {
    try {
      return readFileSync(join(folder, name), 'utf8').slice(-2000);
    } catch {
      return `${name}: nothing`;
    }
  });
  throw new Error(`the node did not come up\n${logs.join('\n')}`);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
