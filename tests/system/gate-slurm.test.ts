// The examples of examples/gate in a real Slurm: a prolog drains a node, the health check names the reason.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entry, root, scratch } from '../run-cli.ts';
import type { Cluster } from './slurm-cluster.ts';
import { startCluster } from './slurm-cluster.ts';
import { lacks } from './tools.ts';

const missing =
  process.getuid?.() === 0 ? lacks('slurmctld', 'slurmd', 'munged', 'sbatch') : 'only root can start a Slurm node';
const folder = scratch();
const rule = 'driver/kmod-userspace-mismatch-after-upgrade';
const example = (name: string): string => join(root, 'examples/gate', name);

describe.skipIf(missing !== null)(`Slurm${missing === null ? '' : ` (skipped: ${missing})`}`, () => {
  let cluster: Cluster;
  const host = folder.path('host');
  const settings = folder.path('settings');
  const state = folder.path('kept');
  const library = (version: string): void => {
    const path = join(host, 'usr/lib/x86_64-linux-gnu');
    execFileSync('rm', ['-rf', path]);
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, `libcuda.so.${version}`), Buffer.alloc(5000));
    execFileSync('ln', ['-s', `libcuda.so.${version}`, join(path, 'libcuda.so.1')]);
  };
  const policy = (action: string): void =>
    writeFileSync(
      join(settings, 'policy.json'),
      JSON.stringify({ schema: 'culprit/gate-policy@1', rules: { [rule]: action }, rollout: { minUptimeMinutes: 0 } }),
    );
  const submit = (): string => /job (\d+)/.exec(cluster.run('sbatch', ['-o', '/dev/null', '--wrap', 'true']).out)![1]!;

  beforeAll(async () => {
    for (const each of ['proc/driver/nvidia', 'sys/module/nvidia', 'dev', 'etc'])
      mkdirSync(join(host, each), { recursive: true });
    writeFileSync(
      join(host, 'proc/driver/nvidia/version'),
      'NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.124.06  Wed Feb 26 02:15:01 UTC 2025\n',
    );
    writeFileSync(join(host, 'sys/module/nvidia/version'), '570.124.06\n');
    for (const each of [settings, state]) mkdirSync(each);
    // Slurm gives a prolog little environment: what differs here from /usr/local/sbin and /etc/culprit stands in a wrapper.
    const program = folder.path('culprit');
    writeFileSync(program, `#!/bin/sh\nexec ${process.execPath} ${entry} "$@"\n`);
    chmodSync(program, 0o755);
    for (const name of ['slurm-prolog.sh', 'slurm-health-check.sh']) {
      copyFileSync(example(name), folder.path(`example-${name}`));
      writeFileSync(
        folder.path(name),
        `#!/bin/sh
export CULPRIT=${program} CULPRIT_FOLDER=${settings} CULPRIT_STATE=${state} CULPRIT_BUDGET=8 CULPRIT_FLAGS='--root ${host}'
export SLURM_CONF=${folder.path('cluster')}/slurm.conf PATH=/usr/bin:/bin
exec sh ${folder.path(`example-${name}`)}
`,
      );
      chmodSync(folder.path(name), 0o755);
    }
    mkdirSync(folder.path('cluster'));
    library('570.124.06');
    policy('enforce');
    cluster = await startCluster(folder.path('cluster'), [
      `Prolog=${folder.path('slurm-prolog.sh')}`,
      `HealthCheckProgram=${folder.path('slurm-health-check.sh')}`,
      'HealthCheckInterval=3600',
      'HealthCheckNodeState=ANY',
    ]);
  });
  afterAll(() => {
    cluster?.stop();
    folder.remove();
  });

  it('a sound node takes jobs', async () => {
    const job = submit();
    await expect
      .poll(() => cluster.run('scontrol', ['show', 'job', job]).out, { timeout: 40_000 })
      .toContain('COMPLETED');
    expect(cluster.state().state).toBe('IDLE');
  });

  it('report only: a fault is told in no way that stops a job', async () => {
    library('570.133.20');
    policy('warn');
    const job = submit();
    await expect
      .poll(() => cluster.run('scontrol', ['show', 'job', job]).out, { timeout: 40_000 })
      .toContain('COMPLETED');
    expect(cluster.state().state).toBe('IDLE');
  });

  it('an enforced fault drains the node and the job waits; the health check names the reason', async () => {
    policy('enforce');
    const job = submit();
    expect(await cluster.waitFor((now) => now.includes('DRAIN'), 40)).toBe(true);
    expect(cluster.state().reason).toBe('Prolog error');
    expect(readFileSync(join(state, 'drain-reason'), 'utf8')).toMatch(
      /^culprit: fail: driver\/kmod-userspace-mismatch-after-upgrade: module 570\.124\.06, library 570\.133\.20\n$/,
    );
    execFileSync(folder.path('slurm-health-check.sh'));
    expect(cluster.state().reason).toMatch(/^culprit: fail: driver\/kmod-userspace-mismatch-after-upgrade: /);
    expect(cluster.run('scontrol', ['show', 'job', job]).out).toMatch(/JobState=PENDING/);
  });

  it('the breaker counts what was drained', () => {
    const file = folder.path('breaker.json');
    execFileSync('sh', [example('breaker.sh'), file, '3'], {
      env: { ...process.env, SLURM_CONF: folder.path('cluster/slurm.conf') },
    });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      schema: 'culprit/gate-breaker@1',
      enforced: 1,
      most: 1,
    });
  });

  it('what somebody else drained keeps its reason', () => {
    cluster.run('scontrol', ['update', `NodeName=${cluster.node}`, 'State=RESUME']);
    cluster.run('scontrol', ['update', `NodeName=${cluster.node}`, 'State=DRAIN', 'Reason=fan is being replaced']);
    execFileSync(folder.path('slurm-health-check.sh'));
    expect(cluster.state().reason).toBe('fan is being replaced');
  });

  it('the health check alone drains a node', () => {
    cluster.run('scontrol', ['update', `NodeName=${cluster.node}`, 'State=RESUME']);
    cluster.run('scontrol', ['update', `NodeName=${cluster.node}`, 'State=IDLE']);
    execFileSync(folder.path('slurm-health-check.sh'));
    expect(cluster.state()).toMatchObject({ reason: expect.stringMatching(/^culprit: fail: /) });
    expect(existsSync(join(state, 'gate.json'))).toBe(true);
  });
});
