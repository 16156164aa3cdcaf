// `culprit check --gate` as a scheduler runs it: one line, a status, in time, whatever happens.
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { culprit, entry, root, scratch } from './run-cli.ts';

const folder = scratch();
const rule = 'driver/kmod-userspace-mismatch-after-upgrade';
const host = folder.path('host');
// Other tests use the machine at the same time; that the time is kept is measured below, with what hangs.
const patient = ['--budget', '12'];

function file(name: string, content: unknown): string {
  const path = folder.path(name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

/** A gate over the made host: status and its one line. */
function gate(...args: readonly string[]): { readonly status: number | null; readonly line: string } {
  const ran = culprit(['check', '--gate', '--root', host, ...patient, ...args]);
  expect(ran.err).toBe('');
  expect(ran.out).toMatch(/^[ -~]{1,100}\n$/);
  return { status: ran.status, line: ran.out.trimEnd() };
}

const policy = (rules: object, more: object = {}): string =>
  file(`policy-${Math.random()}.json`, {
    schema: 'culprit/gate-policy@1',
    rules,
    rollout: { minUptimeMinutes: 0 },
    ...more,
  });

afterAll(folder.remove);
beforeAll(() => {
  const libraries = 'usr/lib/x86_64-linux-gnu';
  for (const each of ['proc/driver/nvidia', 'sys/module/nvidia', 'dev', 'etc', libraries])
    mkdirSync(join(host, each), { recursive: true });
  writeFileSync(
    join(host, 'proc/driver/nvidia/version'),
    'NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.124.06  Wed Feb 26 02:15:01 UTC 2025\n',
  );
  writeFileSync(join(host, 'sys/module/nvidia/version'), '570.124.06\n');
  writeFileSync(join(host, libraries, 'libcuda.so.570.133.20'), Buffer.alloc(5000));
  symlinkSync('libcuda.so.570.133.20', join(host, libraries, 'libcuda.so.1'));
});

describe('the gate', () => {
  it('reports only, where no policy says otherwise', () => {
    expect(gate()).toEqual({ status: 0, line: expect.stringContaining(`culprit: warn: ${rule}: `) });
  });

  it('fails where the policy enforces and the fault is seen twice', () => {
    expect(gate('--policy', policy({ [rule]: 'enforce' }))).toEqual({
      status: 1,
      line: `culprit: fail: ${rule}: module 570.124.06, library 570.133.20`,
    });
  });

  it('holds while the machine is young, silenced or the breaker is open', () => {
    const young = file('young.json', { schema: 'culprit/gate-policy@1', rules: { [rule]: 'enforce' } });
    expect(gate('--policy', young)).toEqual({
      status: 0,
      line: expect.stringMatching(/^culprit: held: .*\[uptime unknown/),
    });
    const silent = policy({ [rule]: 'enforce' }, { silences: [{ rule: 'driver/*', until: '2999-01-01' }] });
    expect(gate('--policy', silent)).toEqual({
      status: 0,
      line: expect.stringContaining('[silenced until 2999-01-01'),
    });
    const open = file('open.json', { schema: 'culprit/gate-breaker@1', at: new Date().toISOString(), open: true });
    expect(gate('--policy', policy({ [rule]: 'enforce' }), '--breaker', open).status).toBe(0);
    expect(gate('--policy', policy({ [rule]: 'enforce' }), '--breaker', folder.path('none')).status).toBe(0);
    const closed = file('closed.json', { schema: 'culprit/gate-breaker@1', at: new Date().toISOString(), open: false });
    expect(gate('--policy', policy({ [rule]: 'enforce' }), '--breaker', closed).status).toBe(1);
  });

  it('keeps what it saw for the next run', () => {
    const state = folder.path('state.json');
    expect(gate('--state', state).status).toBe(0);
    expect(JSON.parse(readFileSync(state, 'utf8'))).toMatchObject({ schema: 'culprit/gate-state@1', seen: [{ rule }] });
    expect(gate('--state', folder.path('no/such/folder/state.json')).line).toContain('state not written');
  });

  it.each<[string, readonly string[], string]>([
    ['an unknown flag', ['--polcy', 'x'], 'has no flag --polcy'],
    ['a flag without its value', ['--policy'], '--policy needs a value'],
    ['an unknown format', ['--format', 'xml'], 'there is no format xml'],
    ['tables that are none', ['--knowledge', '/nonexistent'], '/nonexistent'],
  ])('%s fails no node', (_, args, says) => {
    const ran = culprit(['check', '--gate', ...patient, ...args]);
    expect(ran).toMatchObject({ status: 0, err: '' });
    expect(ran.out).toMatch(/^culprit: no verdict: [ -~]{1,79}\n$/);
    expect(ran.out).toContain(says);
  });

  it('a policy that cannot be understood is report-only, and said', () => {
    const broken = file('broken.json', '{"schema":"culprit/gate-policy@1","rules":{"driver/*":"drain"}}');
    expect(gate('--policy', broken)).toEqual({
      status: 0,
      line: expect.stringMatching(/^culprit: warn: .*\[policy: driver/),
    });
    expect(gate('--policy', folder.path('none')).line).toContain('[policy not readable');
  });
});

it('flags of the gate without it are a mistake', () => {
  expect(culprit(['check', '--policy', 'x'])).toMatchObject({
    status: 2,
    err: expect.stringContaining('goes with --gate'),
  });
});

describe('formats', () => {
  it('npd: 80 characters; 1 only for what is enforced', () => {
    const ran = culprit([
      'check',
      '--gate',
      '--root',
      host,
      ...patient,
      '-f',
      'npd',
      '--policy',
      policy({ [rule]: 'enforce' }),
    ]);
    expect(ran.status).toBe(1);
    expect(ran.out).toMatch(/^[ -~]{1,80}\n$/);
    expect(culprit(['check', '--gate', '--root', host, ...patient, '-f', 'npd']).status).toBe(0);
    expect(culprit(['check', '--gate', ...patient, '-f', 'npd', '--root', '/nonexistent']).status).toBe(2);
  });

  it('prometheus: the file is replaced as a whole, the line is printed', () => {
    mkdirSync(folder.path('textfile'));
    const metrics = folder.path('textfile/culprit.prom');
    expect(gate('-f', 'prometheus', '-o', metrics).line).toContain('culprit: warn: ');
    expect(readFileSync(metrics, 'utf8')).toContain(`culprit_finding{rule="${rule}",layer="driver",certainty="proved"`);
    expect(readdirSync(folder.path('textfile'))).toEqual(['culprit.prom']);
  });

  it('json: one line with every reason', () => {
    const ran = culprit([
      'check',
      '--gate',
      '--root',
      host,
      ...patient,
      '-f',
      'json',
      '--policy',
      policy({ '*': 'enforce' }, { rollout: {} }),
    ]);
    expect(JSON.parse(ran.out)).toMatchObject({
      schema: 'culprit/gate@1',
      outcome: 'held',
      items: [{ held: [{ hold: 'rollout' }, { hold: 'seen-once' }] }],
    });
  });
});

describe('time is kept', () => {
  // A second is asked for; until Node has started, and when the kernel wakes it, is not in the program's hands.
  const most = 5000;
  const hostile = folder.path('hostile');

  beforeAll(() => {
    mkdirSync(hostile);
    // Programs of the probe that ignore signals and hold their output open, as in a sick driver.
    for (const name of ['ls', 'grep', 'sed', 'uname', 'date', 'dmesg', 'tail', 'nvidia-smi']) {
      writeFileSync(join(hostile, name), "#!/bin/sh\ntrap '' TERM INT HUP\nwhile :; do /bin/sleep 1; done\n");
      chmodSync(join(hostile, name), 0o755);
    }
    spawnSync('mkfifo', [folder.path('pipe')]);
  });

  /** Wall time until the process has ended and nothing holds its output any more. */
  function timed(
    args: readonly string[],
    env: Record<string, string> = {},
  ): Promise<{ ms: number; status: number | null; out: string }> {
    return new Promise((resolve) => {
      const began = performance.now();
      const child = spawn(process.execPath, [entry, 'check', '--gate', ...args], {
        cwd: root,
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      let out = '';
      child.stdout.on('data', (part: Buffer) => (out += part.toString()));
      child.on('close', (status) => resolve({ ms: performance.now() - began, status, out }));
    });
  }

  it.each<[string, () => readonly string[], Record<string, string>]>([
    ['every program of the probe hangs', () => [], { PATH: `${hostile}:/usr/bin:/bin` }],
    ['the policy is a pipe that nobody writes to', () => ['--policy', folder.path('pipe')], {}],
    [
      'the state and the breaker are such pipes',
      () => ['--state', folder.path('pipe'), '--breaker', folder.path('pipe')],
      {},
    ],
    ['the tables are a folder of such pipes', () => ['--knowledge', folder.path('')], {}],
    ['the metrics go into such a pipe', () => ['-f', 'prometheus', '-o', folder.path('pipe')], {}],
  ])('when %s', async (_, args, env) => {
    const ran = await timed(['--budget', '1', ...args()], env);
    expect(ran.status).toBe(0);
    expect(ran.out).toMatch(/^[ -~]{1,100}\n$/);
    expect(ran.ms).toBeLessThan(most);
  });

  it('with a budget of less than the start of it all takes a line to say so', async () => {
    const ran = await timed(['--budget', '0.2']);
    expect(ran).toMatchObject({ status: 0, out: expect.stringMatching(/^culprit: [ -~]{1,90}\n$/) });
  });
});
