// Sampling through container engines and Slurm, whose programs are stand-ins that run what they are given here, where
// nvidia-smi is one too: GPU 0 moves pages, GPU 1 works.
import { chmodSync, copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Call, FlagValue } from '../packages/cli/src/commands/command.ts';
import { sample } from '../packages/cli/src/commands/util-sample.ts';
import type { CulpritError } from '../packages/cli/src/errors.ts';
import type { SeriesSet as Series } from '../packages/core/src/utilization/series-set.ts';
import { SeriesSet } from '../packages/core/src/utilization/series-set.ts';
import { root } from './run-cli.ts';
import type { StandIns } from './transports-stand-ins.ts';
import { standIns } from './transports-stand-ins.ts';

const long = 'ab'.repeat(32);
let stand: StandIns;
let ran: Readonly<Record<string, Sampled>>;

interface Sampled {
  readonly set: Series;
  readonly refused: string | null;
  readonly notes: readonly string[];
}

async function sampled(flags: Readonly<Record<string, FlagValue>>): Promise<Sampled> {
  const set = new SeriesSet();
  const notes: string[] = [];
  const call: Call = {
    positionals: [],
    flags: { for: '2s', ...flags },
    format: 'json',
    output: { color: false, columns: null, data() {}, note: (text) => notes.push(text), progress() {}, error() {} },
    knowledge: () => Promise.reject(new Error('no tables are needed')),
  };
  try {
    await sample(call, set);
    return { set, refused: null, notes };
  } catch (error) {
    return { set, refused: `${(error as CulpritError).exit} ${(error as CulpritError).message}`, notes };
  }
}

const asked: Readonly<Record<string, Readonly<Record<string, FlagValue>>>> = {
  docker: { docker: ['web'] },
  podman: { docker: ['web'], engine: 'podman' },
  'two containers': { docker: ['web', 'podman:db'] },
  'a container that ended': { docker: ['nerdctl:old'] },
  slurm: { slurm: ['n1'] },
  job: { job: ['7'] },
};

beforeAll(async () => {
  stand = standIns(['docker', 'podman', 'nerdctl', 'srun', 'scontrol', 'ssh']);
  const smi = join(process.env['PATH']!, 'nvidia-smi');
  copyFileSync(join(root, 'tests/system/nvidia-smi-stand-in.sh'), smi);
  chmodSync(smi, 0o755);
  stand.record('docker-inspect', { out: `${long} 0 running\n` });
  stand.record('podman-inspect', { out: `${long} 0 running\n` });
  stand.record('nerdctl-inspect', { out: `${long} 0 exited\n` });
  stand.record('scontrol-node', {
    out: 'NodeName=n1 CPUTot=2 State=IDLE ThreadsPerCore=1 NodeAddr=n1 NodeHostName=n1\n',
  });
  stand.record('scontrol-job', { out: 'JobId=7 UserId=me(0) JobState=RUNNING NodeList=n1 StdOut=/nonexistent/o\n' });
  const names = Object.keys(asked);
  const all = await Promise.all(names.map((name) => sampled(asked[name]!)));
  stand.record('scontrol-node', { out: 'NodeName=n2 State=IDLE+DRAIN NodeAddr=10.0.0.7\n   Reason=Xid 79\n' });
  const drained = await sampled({ slurm: ['n2'], for: '1s' });
  stand.record('scontrol-node', { out: 'NodeName=n3 State=IDLE NodeAddr=n3\n' });
  stand.record('srun', { err: 'srun: error: Unable to allocate resources: Requested nodes are busy\n', exit: 1 });
  stand.record('ssh', { err: 'ssh: connect to host n3 port 22: Connection refused\r\n', exit: 255 });
  const busy = await sampled({ slurm: ['n3'], for: '1s' });
  ran = { ...Object.fromEntries(names.map((name, at) => [name, all[at]!])), drained, busy };
}, 60_000);
afterAll(() => stand.remove());

describe('a sampling', () => {
  it.each([
    ['docker', ''],
    ['podman', ''],
    ['slurm', ''],
    ['job', 'node n1:'],
  ])('through %s brings the samples of all GPUs', (name, host) => {
    const { set, refused, notes } = ran[name]!;
    expect(refused).toBeNull();
    expect([...set.gpus.keys()].toSorted()).toEqual([`${host}0`, `${host}1`]);
    for (const { rows } of set.gpus.values()) expect(rows).toBeGreaterThanOrEqual(2);
    expect([...set.kinds]).toEqual(expect.arrayContaining(['dmon', 'pmon', 'query']));
    expect([...set.processes.get(`${host}0`)!.keys()]).toEqual([1_840_021]);
    expect(notes.join(' ')).toMatch(/sampling .* for 2 s/);
  });

  it('of several containers names the GPUs by their container', () => {
    const { set, refused } = ran['two containers']!;
    expect(refused).toBeNull();
    expect(set.gpus.size).toBe(4);
    expect(new Set([...set.gpus.keys()].map((id) => id.slice(0, id.lastIndexOf(':')))).size).toBe(2);
  });

  it('gives the script to a shell of the container, and writes nothing there', () => {
    const [entered] = stand.calls('docker').filter((call) => call.includes('exec'));
    expect(entered).toEqual(expect.arrayContaining(['exec', '-i', 'sh', '-s', '--', '--for', '2']));
    expect(entered!.join(' ')).not.toContain('nvidia-smi');
  });

  it('of a container that ended says so', () => {
    expect(ran['a container that ended']!.refused).toMatch(/^4 .*its state is exited/);
  });

  it('by srun takes one task beside the job, for longer than the sampling', () => {
    const calls = stand.calls('srun');
    expect(calls.some((call) => call.includes('--jobid=7'))).toBe(true);
    for (const call of calls)
      expect(call).toEqual(expect.arrayContaining(['--overlap', '--ntasks=1', '--export=NONE']));
    const minutes = calls.map((call) => Number(call.find((each) => each.startsWith('--time='))!.slice(7)));
    expect(Math.min(...minutes)).toBeGreaterThanOrEqual(1);
  });

  it('of a drained node goes by ssh', () => {
    expect(ran['drained']!.refused).toBeNull();
    expect(ran['drained']!.set.gpus.size).toBe(2);
    expect(stand.calls('ssh').some((call) => call.includes('10.0.0.7'))).toBe(true);
  });

  it('of a node that neither reaches says why', () => {
    // What Slurm itself says of the node is judged all the same.
    const { set } = ran['busy']!;
    expect(set.gpus.size).toBe(0);
    expect(set.left[0]).toMatch(/n3: srun: the node is busy; ssh: connection refused/);
  });
});
