import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Probed, TargetFlags, Transport } from '../../packages/collect/src/transports/index.ts';
import { probeAll, transportsOf } from '../../packages/collect/src/transports/index.ts';
import { probeScript, transportSuite } from '../transports-suite.ts';
import { lacks } from './tools.ts';
import type { Service } from './transports-services.ts';
import { dockerEngine, podmanEngine, slurmCluster, sshServer, until } from './transports-services.ts';

const one = async (flags: TargetFlags): Promise<Transport> => (await transportsOf(flags))[0]!;
const probe = async (flags: TargetFlags): Promise<Probed> =>
  (await one(flags)).probe(probeScript, ['--budget', '8'], 30_000);
const notRoot = process.getuid?.() === 0 ? null : 'only root can start it';

/** Skips what needs a service, with the reason. */
function needing(name: string, reason: string | null, tests: () => void): void {
  if (reason !== null) console.warn(`skipping ${name}: ${reason}`);
  describe.skipIf(reason !== null)(name, tests);
}

needing('a real ssh server', notRoot ?? lacks('sshd', 'ssh-keygen'), () => {
  let server: Service;
  const path = process.env['PATH']!;
  beforeAll(async () => {
    server = await sshServer();
    expect(server.problem).toBeNull();
    process.env['PATH'] = `${server.folder}/bin:${path}`;
  });
  afterAll(() => {
    process.env['PATH'] = path;
    server.stop();
  });

  transportSuite('ssh', { make: () => one({ ssh: ['gpu-1'] }), killsThere: false, hangMs: 3000 });

  it('goes through a jump host of the configuration', async () => {
    expect((await probe({ ssh: ['jumped'] })).failure).toBeNull();
  });

  it.each([
    ['refused', /^connection refused/],
    ['denied', /^permission denied: none of the keys was accepted \(asked for: publickey\)/],
    ['changed', /^the host key has changed/],
    ['unknown-host', /^the host key is not known/],
  ])('%s: says why', async (host, failure) => {
    const probed = await probe({ ssh: [host] });
    expect(probed.failure).toMatch(failure);
    expect(probed.text).toBe('');
  });

  it('reaches many at once; those it does not reach are told', async () => {
    const began = performance.now();
    const results = await probeAll(
      await transportsOf({ ssh: ['gpu-[1-4]', 'refused'] }),
      probeScript,
      ['--budget', '8'],
      { limitMs: 30_000 },
    );
    expect(results.map(({ probed }) => probed.failure === null)).toEqual([true, true, true, true, false]);
    expect(performance.now() - began).toBeLessThan(20_000);
  });
});

needing('real Slurm', notRoot ?? lacks('slurmctld', 'slurmd', 'munged', 'srun'), () => {
  let cluster: Awaited<ReturnType<typeof slurmCluster>>;
  const slurm = (program: string, ...args: readonly string[]): string =>
    String(spawnSync(program, args, { env: process.env }).stdout);
  beforeAll(async () => {
    cluster = await slurmCluster();
    expect(cluster.problem).toBeNull();
    process.env['SLURM_CONF'] = cluster.config;
  });
  afterAll(() => {
    delete process.env['SLURM_CONF'];
    cluster.stop();
  });

  transportSuite('a Slurm node', { make: () => one({ slurm: ['n1'] }), hangMs: 3000 });

  it('leaves no job behind', async () => {
    expect(await until(() => slurm('squeue', '-h').trim() === '')).toBe(true);
  });

  it('says that Slurm knows no such node or job', async () => {
    expect((await probe({ slurm: ['nowhere'] })).failure).toBe('Slurm knows no such node');
    expect((await probe({ job: ['999999'] })).failure).toMatch(/knows no such job/);
  });

  it('a drained node: what Slurm says of it, and why ssh does not reach it either', async () => {
    slurm('scontrol', 'update', 'nodename=n2', 'state=drain', 'reason=Prolog error');
    const probed = await probe({ slurm: ['n2'] });
    slurm('scontrol', 'update', 'nodename=n2', 'state=resume');
    expect(probed.text).toContain('Reason=Prolog error');
    if (probed.failure !== null)
      expect(probed.failure).toMatch(/^Slurm starts nothing there: its state is IDLE\+DRAIN; ssh: /);
  });

  it('a running job: itself, its output, and each of its nodes inside its allocation', async () => {
    const id = /\d+/.exec(
      slurm('sbatch', '-N2', '-o', `${cluster.folder}/job.out`, '--wrap', 'echo step 1 of 3; sleep 40'),
    )![0];
    expect(await until(() => slurm('squeue', '-h', '-t', 'RUNNING', '-j', id).includes(id))).toBe(true);
    const transports = await transportsOf({ job: [id] });
    expect(transports.map((each) => each.subject)).toEqual([`job ${id}`, 'node n1', 'node n2']);
    const results = await probeAll(transports, probeScript, ['--budget', '8'], { limitMs: 30_000 });
    slurm('scancel', id);
    expect(results.map(({ probed }) => probed.failure)).toEqual([null, null, null]);
    expect(results[0]!.probed.text).toContain('JobState=RUNNING');
    expect(results[0]!.probed.text).toContain('|step 1 of 3');
    expect(results[1]!.probed.text).toContain('@ uname ');
  });
});

needing('a real Docker engine', notRoot ?? lacks('dockerd', 'docker', 'busybox', 'tar'), () => {
  let engine: Awaited<ReturnType<typeof dockerEngine>>;
  beforeAll(async () => {
    engine = await dockerEngine();
    process.env['DOCKER_HOST'] = engine.socket;
    if (engine.problem !== null) console.warn(`skipping containers: ${engine.problem}`);
  });
  afterAll(() => {
    delete process.env['DOCKER_HOST'];
    engine.stop();
  });

  transportSuite('docker', { make: () => one({ docker: ['docker:shell'] }), killsThere: false, hangMs: 3000 });

  it('a container without a shell is looked at from outside, through its process', async () => {
    const probed = await probe({ docker: ['docker:bare'] });
    expect(probed.failure).toBeNull();
    expect(probed.text).toMatch(/^@culprit-probe 1 \S+ root=\S* pid=\d+/);
    expect(probed.stderr).toContain('executable file not found');
  });

  it('says why it reaches none', async () => {
    expect((await probe({ docker: ['docker:ended'] })).failure).toBe('the container does not run: its state is exited');
    expect((await probe({ docker: ['docker:nobody'] })).failure).toBe('docker: no such container');
  });

  it('leaves nothing in the container', async () => {
    await probe({ docker: ['docker:shell'] });
    const changed = String(spawnSync('docker', ['diff', 'shell']).stdout);
    expect(changed.trim()).toBe('');
  });
});

needing('a real Podman', notRoot ?? lacks('podman', 'runc', 'busybox', 'tar'), () => {
  let engine: ReturnType<typeof podmanEngine>;
  beforeAll(() => {
    engine = podmanEngine();
    Object.assign(process.env, engine.env);
    expect(engine.problem).toBeNull();
  });
  afterAll(() => {
    engine.stop();
    for (const name of Object.keys(engine.env)) Reflect.deleteProperty(process.env, name);
  });

  transportSuite('podman', { make: () => one({ docker: ['podman:shell'] }), killsThere: false, hangMs: 3000 });

  it('a container without a shell is looked at from outside, through its process', async () => {
    const probed = await probe({ docker: ['podman:bare'] });
    expect(probed.failure).toBeNull();
    expect(probed.text).toMatch(/^@culprit-probe 1 \S+ root=\S* pid=\d+/);
  });

  it('says why it reaches none', async () => {
    expect((await probe({ docker: ['podman:ended'] })).failure).toBe('the container does not run: its state is exited');
    expect((await probe({ docker: ['podman:nobody'] })).failure).toBe('podman: no such container');
  });
});
