import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import fc from 'fast-check';
import type { Probed, TargetFlags, Transport } from '../packages/collect/src/transports/index.ts';
import { probeAll, TargetError, transportsOf } from '../packages/collect/src/transports/index.ts';
import { expand, expandAll, hostOf } from '../packages/collect/src/transports/names.ts';
import { isItsText, pods } from './transports-exchanges.ts';
import type { StandIns } from './transports-stand-ins.ts';
import { standIns } from './transports-stand-ins.ts';
import { transportSuite } from './transports-suite.ts';

const echo = `printf '@culprit-probe 1 2026-11-30T08:00:00Z root=/ pid=- gate=no\\n@ arguments echo\\n'
for a; do printf '|%s\\n' "$a"; done
printf '@= exit=0 ms=0\\n@culprit-end sections=1 ms=1\\n'
`;

let stand: StandIns;
afterEach(() => {
  stand.remove();
});

const one = async (flags: TargetFlags): Promise<Transport> => (await transportsOf(flags))[0]!;
const probe = async (flags: TargetFlags, args: readonly string[] = [], limitMs = 10_000): Promise<Probed> =>
  (await one(flags)).probe(echo, args, limitMs);

describe('with stand-ins', () => {
  beforeEach(() => {
    stand = standIns(['docker', 'podman', 'nerdctl', 'crictl', 'kubectl', 'srun', 'scontrol', 'ssh']);
    for (const name of ['docker', 'podman', 'nerdctl'])
      stand.record(`${name}-inspect`, { out: `${'ab'.repeat(32)} 0 running\n` });
    stand.record('crictl-inspect', {
      out: '{\n  "status": {\n    "id": "abababababababab",\n    "state": "CONTAINER_RUNNING"\n  },\n  "info": {\n    "pid": 0\n  }\n}\n',
    });
    stand.record('get-pod', { out: pods.running });
    stand.record('get-node', { out: pods.node });
    stand.record('get-pods', { out: pods.none });
    stand.record('get-events', { out: pods.none });
    stand.record('scontrol-node', {
      out: 'NodeName=n1 CPUTot=2 State=IDLE ThreadsPerCore=1 NodeAddr=n1 NodeHostName=n1\n',
    });
  });

  transportSuite('this machine', { make: () => one({}) });
  transportSuite('a process', {
    make: () => one({ pid: [String(process.pid)] }),
    own: ['--pid', String(process.pid)],
    much: false,
  });
  for (const engine of ['docker', 'podman', 'nerdctl', 'crictl'])
    transportSuite(engine, { make: () => one({ docker: [`${engine}:web`] }), brief: engine !== 'docker' });
  transportSuite('a pod', { make: () => one({ pod: ['ml/train-0'] }) });
  transportSuite('a node with --debug', {
    make: () => one({ node: ['gpu-1'], debug: true }),
    own: ['--root', '/host'],
    much: false,
    real: false,
  });
  transportSuite('ssh', { make: () => one({ ssh: ['gpu-1'] }) });
  transportSuite('a Slurm node', { make: () => one({ slurm: ['n1'] }), much: false });
});

describe('names', () => {
  beforeEach(() => {
    stand = standIns(['ssh', 'kubectl', 'docker', 'srun', 'scontrol']);
  });

  const bad = [
    '-oProxyCommand=touch /tmp/x',
    '--help',
    '',
    ' ',
    '$(id)',
    '`id`',
    'a;b',
    'a|b',
    'a\nb',
    'a b\u0000',
    "'",
    '../etc',
    '[',
    'a]',
  ];
  it.each(bad)('%j is no name of anything, and nothing is run', async (text) => {
    for (const kind of ['pid', 'docker', 'pod', 'node', 'ssh', 'slurm', 'job'] as const) {
      const given = async (): Promise<number> => (await transportsOf({ [kind]: [text] })).length;
      // A list with nothing in it, and words with blanks between them, are lists.
      if (text.trim() === '' && /node|ssh|slurm/.test(kind)) expect(await given()).toBe(0);
      else await expect(given()).rejects.toThrow(TargetError);
    }
    expect(stand.calls()).toEqual([]);
  });

  it.each([
    ['context', { pod: ['a/b'], context: '--token=x' }],
    ['kubeconfig', { pod: ['a/b'], kubeconfig: '-x' }],
    ['namespace', { pod: ['b'], namespace: '-A' }],
    ['image', { node: ['n'], debug: true, debugImage: '--privileged' }],
    ['engine', { docker: ['a'], engine: 'rm' }],
    ['since', { job: ['a/b'], since: '--x' }],
  ] as const)('%s: an option is no value', async (_, flags) => {
    await expect(transportsOf(flags)).rejects.toThrow(TargetError);
    expect(stand.calls()).toEqual([]);
  });

  it.each([
    ['gpu-1', { name: 'gpu-1', user: null, port: null }],
    ['root@gpu-1:2222', { name: 'gpu-1', user: 'root', port: '2222' }],
    ['ssh://me@h.example.com:22', { name: 'h.example.com', user: 'me', port: '22' }],
    ['[fe80::1]:2222', { name: 'fe80::1', user: null, port: '2222' }],
    ['2001:db8::7', { name: '2001:db8::7', user: null, port: null }],
  ])('%s is a host', (text, host) => {
    expect(hostOf(text)).toEqual(host);
  });

  it.each([
    ['a', ['a']],
    ['node[01-03]', ['node01', 'node02', 'node03']],
    ['r[1-2]n[3,05-06]', ['r1n3', 'r1n05', 'r1n06', 'r2n3', 'r2n05', 'r2n06']],
    ['a,b[1,3] c', ['a', 'b1', 'b3', 'c']],
    ['n[0-8/4]', ['n0', 'n4', 'n8']],
    ['[fe80::1]:22', ['[fe80::1]:22']],
  ])('%s stands for %j', (list, names) => {
    expect(expand(list)).toEqual(names);
  });

  it.each(['n[1-', 'n[3-1]', 'n[a-b]', 'n[]', 'n[1-99999999]', 'n[[1]]', '@/nonexistent', 'n[0-9999]m[0-9999]'])(
    '%s is no list',
    (list) => {
      expect(() => expandAll([list])).toThrow(TargetError);
    },
  );

  it('never fails otherwise, whatever a list holds', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[a-n0-9[\],/-]{0,30}$/)), (list) => {
        try {
          for (const name of expand(list)) expect(name).not.toBe('');
        } catch (error) {
          expect(error).toBeInstanceOf(TargetError);
        }
      }),
    );
  });

  it('a file holds one list a line', () => {
    const folder = mkdtempSync(join(tmpdir(), 'culprit-hosts-'));
    writeFileSync(join(folder, 'hosts'), '# rack 1\nnode[1-2]  # both\r\n\nroot@gpu-9\nnode2\n');
    expect(expandAll([`@${join(folder, 'hosts')}`, 'x'])).toEqual(['node1', 'node2', 'root@gpu-9', 'x']);
    rmSync(folder, { recursive: true });
  });
});

describe('what is called', () => {
  beforeEach(() => {
    stand = standIns(['docker', 'podman', 'kubectl', 'srun', 'scontrol', 'ssh']);
  });

  it('ssh: no question, no new shared connection, no forwarding; the name behind --', async () => {
    await probe({ ssh: ['root@gpu-1:2222'] }, ['--budget', '2']);
    const [call] = stand.calls('ssh');
    expect(call!.slice(-9)).toEqual(['-p', '2222', '--', 'gpu-1', 'sh', '-s', '--', '--budget', '2']);
    for (const option of ['BatchMode=yes', 'ControlMaster=no', 'ForwardAgent=no', 'PermitLocalCommand=no'])
      expect(call).toContain(option);
    expect(call!.some((arg) => /^ConnectTimeout=\d+$/.test(arg))).toBe(true);
  });

  it('ssh: an argument that a login shell would take apart is not sent', async () => {
    const probed = await probe({ ssh: ['gpu-1'] }, ['--root', '/a b; touch /tmp/x']);
    expect(probed.failure).toContain('cannot be sent');
    expect(stand.calls()).toEqual([]);
  });

  it('a container is asked of each engine that is there, in turn', async () => {
    stand.record('podman-inspect', { out: `${'cd'.repeat(32)} 12 running\n` });
    expect((await probe({ docker: ['web'] })).failure).toBeNull();
    expect(stand.calls().map((call) => call.slice(0, 2))).toEqual([
      ['docker', 'inspect'],
      ['podman', 'inspect'],
      ['podman', 'exec'],
    ]);
    expect(stand.calls('podman')[1]).toEqual(['podman', 'exec', '-i', 'web', 'sh', '-s', '--']);
  });

  it('kubectl: context and kubeconfig go on, the namespace stands in every call', async () => {
    stand.record('get-pod', { out: pods.running });
    stand.record('get-node', { out: pods.node });
    await probe({ pod: ['ml/train-0/main'], context: 'prod', kubeconfig: '/etc/kube conf' });
    for (const call of stand.calls('kubectl')) {
      expect(call.slice(1, 3)).toEqual(['--context=prod', '--kubeconfig=/etc/kube conf']);
      expect(call.join(' ')).not.toMatch(/\s(?:create|apply|patch|delete|edit|label|annotate|cordon|drain)\b/);
    }
    const entered = stand.calls('kubectl').find((call) => call.includes('exec'))!;
    expect(entered.slice(3)).toEqual(['--namespace=ml', 'exec', '-i', 'train-0', '-c', 'main', '--', 'sh', '-s', '--']);
  });

  it('srun: one task on the node, with a limit, without the environment of this shell', async () => {
    stand.record('scontrol-node', { out: 'NodeName=n1 State=MIXED NodeAddr=n1\n' });
    const probed = await probe({ slurm: ['n1'] });
    expect(probed.failure).toBeNull();
    expect(probed.text).toContain('@ scontrol-node scontrol show node n1\n|NodeName=n1 State=MIXED');
    const [call] = stand.calls('srun');
    for (const option of ['--overlap', '--nodelist=n1', '--ntasks=1', '--time=1', '--export=NONE'])
      expect(call).toContain(option);
    expect(stand.calls('ssh')).toEqual([]);
  });

  it.each(['IDLE+DRAIN', 'DOWN*', 'IDLE+NOT_RESPONDING'])('a node in state %s is reached by ssh', async (state) => {
    stand.record('scontrol-node', { out: `NodeName=n1 State=${state} NodeAddr=10.0.0.7\n   Reason=Prolog error\n` });
    const probed = await probe({ slurm: ['n1'] });
    expect(probed.failure).toBeNull();
    expect(probed.text).toContain('|   Reason=Prolog error');
    expect(stand.calls('srun')).toEqual([]);
    expect(stand.calls('ssh')[0]).toContain('10.0.0.7');
  });

  it('a node that neither reaches is told with both reasons, and what Slurm says of it is kept', async () => {
    stand.record('scontrol-node', { out: 'NodeName=n1 State=IDLE NodeAddr=n1\n' });
    stand.record('srun', { err: 'srun: error: Unable to allocate resources: Requested nodes are busy\n', exit: 1 });
    stand.record('ssh', { err: 'ssh: connect to host n1 port 22: Connection refused\r\n', exit: 255 });
    const probed = await probe({ slurm: ['n1'] });
    expect(probed.failure).toBe('srun: the node is busy; ssh: connection refused: no ssh server listens there');
    expect(probed.text).toContain('@ scontrol-node ');
  });
});

describe('jobs', () => {
  beforeEach(() => {
    stand = standIns(['kubectl', 'srun', 'scontrol', 'sacct', 'ssh']);
  });

  it('a running job of Slurm: itself, then its nodes inside its allocation', async () => {
    stand.record('scontrol-job', {
      out: 'JobId=7 UserId=me(0) JobState=RUNNING NodeList=n[1-2] StdOut=/nonexistent/o\n',
    });
    stand.record('scontrol-node', { out: 'NodeName=n1 State=ALLOCATED\n' });
    const transports = await transportsOf({ job: ['7'] });
    expect(transports.map((each) => each.subject)).toEqual(['job 7', 'node n1', 'node n2']);
    const [job, node] = await probeAll(transports, echo, [], { limitMs: 5000 });
    expect(job!.probed.text).toContain('@ scontrol-job scontrol show job 7');
    expect(job!.probed.text).toContain('@ job-log tail -c 4194304 /nonexistent/o\n@= exit=absent');
    expect(node!.probed.failure).toBeNull();
    expect(stand.calls('srun')[0]).toContain('--jobid=7');
  });

  it('reads of a job’s output only a plain file of the job’s user', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'culprit-log-'));
    const log = join(folder, 'log');
    writeFileSync(log, 'NCCL WARN here\n');
    const uid = process.getuid!();
    const textOf = async (owner: number): Promise<string> => {
      stand.record('scontrol-job', {
        out: `JobId=7 UserId=me(${owner}) JobState=FAILED NodeList=(null) StdOut=${log}\n`,
      });
      return (await (await one({ job: ['7'] })).probe(echo, [], 5000)).text;
    };
    expect(await textOf(uid)).toContain('|NCCL WARN here');
    expect(await textOf(uid + 1)).not.toContain('NCCL WARN');
    rmSync(folder, { recursive: true });
  });

  it('a job that Slurm has forgotten is looked up in the accounting', async () => {
    stand.record('scontrol-job', { err: 'slurm_load_jobs error: Invalid job id specified\n', exit: 1 });
    stand.record('sacct', {
      out: 'JobID|JobName|State|ExitCode|Start|End|NodeList\n7|train|FAILED|1:0|2026-11-29T10:00:00|2026-11-29T11:00:00|n[3-4]\n7.batch|batch|FAILED|1:0|2026-11-29T10:00:00|2026-11-29T11:00:00|n3\n',
    });
    expect((await transportsOf({ job: ['7'] })).map((each) => each.subject)).toEqual(['job 7', 'node n3', 'node n4']);
  });

  it('a job nobody knows is one line', async () => {
    stand.record('scontrol-job', { err: 'slurm_load_jobs error: Invalid job id specified\n', exit: 1 });
    const transports = await transportsOf({ job: ['7'] });
    expect((await transports[0]!.probe(echo, [], 1000)).failure).toBe('Slurm knows no such job, or it has ended');
  });

  it('a Job of Kubernetes: its pods with rank and node, their logs, then each pod', async () => {
    stand.record('get-pods', { out: pods.job });
    stand.record('logs', { out: '[pod/train-0-x/main] NCCL WARN here\n' });
    const transports = await transportsOf({ job: ['ml/train'] });
    expect(transports.map((each) => each.subject)).toEqual(['job ml/train', 'pod ml/train-0-x', 'pod ml/train-1-y']);
    const { text } = await transports[0]!.probe(echo, [], 5000);
    expect(text).toMatch(/\|train-0-x {3}Running {3}0 {6}gpu-1\n\|train-1-y {3}Failed {4}1 {6}gpu-2\n/);
    expect(text).toContain('|[pod/train-0-x/main] NCCL WARN here');
    const logs = stand.calls('kubectl').find((call) => call.includes('logs'))!;
    expect(logs).toContain('--selector=batch.kubernetes.io/job-name=train');
    for (const option of ['--all-containers', '--prefix', '--since=24h']) expect(logs).toContain(option);
  });

  it('a RayJob is followed to its cluster', async () => {
    stand.record('get-rayjobs', { out: 'train-raycluster-abcde' });
    stand.record('get-pods', { out: pods.job });
    await transportsOf({ job: ['rayjob/ml/train'], since: '90m' });
    expect(stand.calls('kubectl').find((call) => call.includes('logs'))).toEqual(
      expect.arrayContaining(['--selector=ray.io/cluster=train-raycluster-abcde', '--since=90m']),
    );
  });

  it('a JobSet by its own label', async () => {
    stand.record('get-pods', { out: pods.job });
    await transportsOf({ job: ['jobset/ml/train'] });
    expect(stand.calls('kubectl')[0]).toContain('--selector=jobset.sigs.k8s.io/jobset-name=train');
  });
});

describe('pods and nodes', () => {
  beforeEach(() => {
    stand = standIns(['kubectl']);
    stand.record('get-node', { out: pods.node });
    stand.record('get-events', { out: pods.events });
    stand.record('get-pods', { out: pods.stack });
  });

  it('a pod that does not run is not entered; what stands between it and the GPU is told', async () => {
    stand.record('get-pod', { out: pods.pending });
    stand.record('get-nodes', { out: pods.nodes });
    const probed = await probe({ pod: ['ml/train-0'] });
    expect(probed.failure).toBeNull();
    expect(probed.text).toContain('@ kubectl-pod kubectl get --namespace=ml pod train-0 -o json\n|{');
    expect(probed.text).toContain('0/2 nodes are available: 2 Insufficient nvidia.com/gpu.');
    expect(isItsText(probed.text)).toBe(true);
    expect(stand.calls('kubectl').some((call) => call.includes('exec'))).toBe(false);
  });

  it('a container without a shell names the check of its node', async () => {
    stand.record('get-pod', { out: pods.running });
    stand.record('exec', {
      err: 'error: Internal error occurred: Internal error occurred: error executing command in container: failed to exec in container: failed to start exec "0c2": OCI runtime exec failed: exec failed: unable to start container process: exec: "sh": executable file not found in $PATH: unknown\n',
      exit: 1,
    });
    const probed = await probe({ pod: ['ml/train-0'] });
    expect(probed.failure).toContain('has no shell');
    expect(probed.failure).toContain('culprit check --node gpu-1');
    expect(probed.text).toContain('@ kubectl-node ');
  });

  it('a pod that failed: what it printed before is told', async () => {
    stand.record('get-pod', { out: pods.failed });
    stand.record('logs', { out: 'RuntimeError: No CUDA GPUs are available\n' });
    const probed = await probe({ pod: ['ml/train-0'] });
    expect(stand.calls('kubectl').find((call) => call.includes('logs'))).toEqual([
      'kubectl',
      '--namespace=ml',
      'logs',
      'train-0',
      '--container=main',
      '--tail=400',
      '--previous',
    ]);
    expect(probed.text).toContain('@ pod-log kubectl --namespace=ml logs train-0');
    expect(probed.text).toContain('|RuntimeError: No CUDA GPUs are available');
    expect(isItsText(probed.text)).toBe(true);
  });

  it('the log of a pod that may not be read is named', async () => {
    stand.record('get-pod', { out: pods.failed });
    stand.record('logs', {
      err: 'Error from server (Forbidden): pods "train-0" is forbidden: User "me" cannot get resource "pods/log" in API group "" in the namespace "ml"\n',
      exit: 1,
    });
    const probed = await probe({ pod: ['ml/train-0'] });
    expect(probed.failure).toBeNull();
    expect(probed.stderr).toMatch(/may not get pods\/log/);
  });

  it('of the pods of a node only those of the GPU stack are kept', async () => {
    const probed = await probe({ node: ['gpu-1'] });
    expect(probed.failure).toBeNull();
    expect(probed.text).toContain('nvidia-device-plugin-daemonset-x7');
    expect(probed.text).not.toContain('somebody-elses-notebook');
    expect(probed.text).not.toContain('last-applied-configuration');
    expect(stand.calls('kubectl').some((call) => call.includes('debug'))).toBe(false);
  });

  it('--debug: the pod is known by a mark and removed, whatever came of it', async () => {
    stand.put('debug-pods', pods.debug('MARK'));
    const made = await one({ node: ['gpu-1'], debug: true, debugImage: 'registry.local/busybox:1' });
    for (const answer of [null, { err: 'error: timed out waiting for the condition\n', exit: 1 }]) {
      if (answer !== null) stand.record('debug', answer);
      const probed = await made.probe(echo, [], 5000);
      expect(probed.failure === null).toBe(answer === null);
      expect(stand.has('debugged')).toBe(false);
      expect(stand.calls('kubectl').at(-1)).toEqual(
        expect.arrayContaining(['delete', 'pod', 'node-debugger-gpu-1-abcde', '--now', '--ignore-not-found']),
      );
      expect(stand.calls('kubectl').find((call) => call.includes('debug'))).toContain(
        '--image=registry.local/busybox:1',
      );
    }
    expect(
      stand.calls('kubectl').some((call) => call.includes('delete') && call.includes('node-debugger-gpu-1-other')),
    ).toBe(false);
  });
});

describe('failures, in the words that the programs print', () => {
  beforeEach(() => {
    stand = standIns(['docker', 'kubectl', 'srun', 'scontrol', 'ssh']);
  });

  it.each([
    [
      'Permission denied (publickey,password).',
      'permission denied: none of the keys was accepted (asked for: publickey,password)',
    ],
    [
      '@@@@@@@@@@@\n@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\nHost key verification failed.',
      /host key has changed/,
    ],
    ['Host key verification failed.', /host key is not known/],
    ['ssh: connect to host gpu-1 port 22: Connection refused', /^connection refused/],
    ['ssh: connect to host gpu-1 port 22: Connection timed out', /timed out/],
    ['ssh: Could not resolve hostname gpu-1: Name or service not known', /cannot be resolved/],
    ['ssh: connect to host gpu-1 port 22: No route to host', /no route/],
    ['kex_exchange_identification: Connection closed by remote host', /closed|no ssh server/],
    ['something new', 'ssh ended with exit status 255: something new'],
  ])('ssh: %s', async (err, failure) => {
    stand.record('ssh', { err: `${err}\r\n`, exit: 255 });
    const probed = await probe({ ssh: ['gpu-1'] });
    if (typeof failure === 'string') expect(probed.failure).toBe(failure);
    else expect(probed.failure).toMatch(failure);
    expect(probed.stderr).toContain(err.split('\n')[0]);
    expect(probed.text).toBe('');
  });

  it.each([
    ['Error from server (NotFound): pods "train-0" not found', 'pods train-0: not found'],
    [
      'Error from server (Forbidden): pods "train-0" is forbidden: User "system:serviceaccount:ml:me" cannot get resource "pods" in API group "" in the namespace "ml"',
      /^forbidden: system:serviceaccount:ml:me may not get pods in the namespace ml; .*check-rbac\.md$/,
    ],
    [
      'The connection to the server 10.0.0.1:6443 was refused - did you specify the right host or port?',
      /^connection refused: .*10\.0\.0\.1:6443/,
    ],
    ['Unable to connect to the server: dial tcp 10.0.0.1:6443: i/o timeout', /does not answer/],
    ['error: You must be logged in to the server (Unauthorized)', /^not logged in/],
    ['error: context "prod" does not exist', 'the kubeconfig has no context prod'],
    [
      'Unable to connect to the server: tls: failed to verify certificate: x509: certificate signed by unknown authority',
      /^the certificate .*unknown authority/,
    ],
  ])('kubectl get: %s', async (err, failure) => {
    stand.record('get-pod', { err: `${err}\n`, exit: 1 });
    stand.record('exec', { err: `${err}\n`, exit: 1 });
    const probed = await probe({ pod: ['ml/train-0'] });
    if (typeof failure === 'string') expect(probed.failure).toBe(failure);
    else expect(probed.failure).toMatch(failure);
  });

  it.each([
    [
      'Error from server (Forbidden): pods "train-0" is forbidden: User "me" cannot create resource "pods/exec" in API group "" in the namespace "ml"',
      /^forbidden: me may not create pods\/exec in the namespace ml/,
    ],
    ['error: unable to upgrade connection: container not found ("main")', 'the container main does not run'],
    [
      'Error from server (BadRequest): container sidecar is not valid for pod train-0',
      'the pod has no container sidecar',
    ],
    ['error: cannot exec into a container in a completed pod; current phase is Succeeded', 'the pod has ended'],
    [
      'Error from server: error dialing backend: dial tcp 10.0.0.7:10250: connect: no route to host',
      /does not reach the kubelet/,
    ],
  ])('kubectl exec: %s', async (err, failure) => {
    stand.record('get-pod', { out: pods.running });
    stand.record('get-node', { out: pods.node });
    stand.record('exec', { err: `${err}\n`, exit: 1 });
    const probed = await probe({ pod: ['ml/train-0'] });
    if (typeof failure === 'string') expect(probed.failure).toBe(failure);
    else expect(probed.failure).toMatch(failure);
    expect(probed.text).toContain('@ kubectl-pod ');
  });

  it.each([
    [
      'permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock: Get "http://%2Fvar%2Frun%2Fdocker.sock/v1.24/containers/web/json": dial unix /var/run/docker.sock: connect: permission denied',
      'docker: permission denied: this user may not use the container engine',
    ],
    [
      'Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?',
      /^docker: the container engine does not run here/,
    ],
    ['Error: No such container: web', 'docker: no such container'],
  ])('docker: %s', async (err, failure) => {
    stand.record('docker-inspect', { err: `${err}\n`, exit: 1 });
    const probed = await probe({ docker: ['web'] });
    if (typeof failure === 'string') expect(probed.failure).toBe(failure);
    else expect(probed.failure).toMatch(failure);
  });

  it('docker: a container that has ended is named with its state', async () => {
    stand.record('docker-inspect', { out: `${'ab'.repeat(32)} 0 exited\n` });
    expect((await probe({ docker: ['web'] })).failure).toBe('the container does not run: its state is exited');
  });

  it.each(['127', '1'])('docker: no shell, and its process is not here (exit %s)', async (exit) => {
    // The number is that of a process of this machine, but not of that container.
    stand.record('docker-inspect', { out: `${'ab'.repeat(32)} ${process.pid} running\n` });
    stand.record('docker-exec', {
      err: 'OCI runtime exec failed: exec failed: unable to start container process: exec: "sh": executable file not found in $PATH: unknown\n',
      exit: Number(exit),
    });
    const probed = await probe({ docker: ['web'] });
    expect(probed.failure).toMatch(/no shell, and its process is not seen from here/);
    expect(probed.text).toBe('');
  });

  it.each([
    ['srun: error: Unable to allocate resources: Invalid node name specified', /knows no such node/],
    ['srun: error: Unable to allocate resources: Immediate execution impossible. Resources are not available', /busy/],
    [
      'srun: error: Unable to allocate resources: Unable to contact slurm controller (connect failure)',
      /controller does not answer/,
    ],
  ])('srun: %s', async (err, failure) => {
    stand.record('scontrol-node', { out: 'NodeName=n1 State=IDLE\n' });
    stand.record('srun', { err: `${err}\n`, exit: 1 });
    stand.record('ssh', { err: 'ssh: connect to host n1 port 22: Connection refused\n', exit: 255 });
    expect((await probe({ slurm: ['n1'] })).failure).toMatch(failure);
  });
});

describe('programs that are not there', () => {
  beforeEach(() => {
    stand = standIns([]);
  });

  it.each([
    [{ ssh: ['a'] }, 'ssh is not installed here, or not in PATH'],
    [{ pod: ['a/b'] }, 'kubectl is not installed here, or not in PATH'],
    [{ node: ['a'] }, 'kubectl is not installed here, or not in PATH'],
    [{ docker: ['a'] }, /^no container engine is installed here/],
    [{ docker: ['podman:a'] }, 'podman is not installed here, or not in PATH'],
    [{ slurm: ['a'] }, /^scontrol is not installed here.*--ssh a$/],
    [{ job: ['7'] }, 'scontrol is not installed here, or not in PATH'],
    [{ job: ['a/b'] }, 'kubectl is not installed here, or not in PATH'],
  ] as const)('%j', async (flags, failure) => {
    const probed = await probe(flags);
    if (typeof failure === 'string') expect(probed.failure).toBe(failure);
    else expect(probed.failure).toMatch(failure);
    expect(probed.text).toBe('');
  });
});

describe('several targets', () => {
  beforeEach(() => {
    stand = standIns(['ssh']);
  });

  it('are probed a bounded number at a time and answered in order', async () => {
    let now = 0;
    let most = 0;
    const transports: readonly Transport[] = Array.from({ length: 40 }, (_, place) => ({
      subject: `n${place}`,
      async probe() {
        most = Math.max(most, ++now);
        await new Promise((resolve) => setTimeout(resolve, (place * 7) % 11));
        now--;
        if (place === 3) throw new Error('broken');
        return { text: String(place), stderr: '', exit: 0, failure: null, ms: 1 };
      },
    }));
    const results = await probeAll(transports, '', [], { parallel: 5, limitMs: 1000 });
    expect(most).toBe(5);
    expect(results.map(({ transport }) => transport.subject)).toEqual(transports.map((each) => each.subject));
    expect(results[3]!.probed.failure).toContain('broken');
    expect(results[4]!.probed.text).toBe('4');
  });

  it('of which some are not reached are all told', async () => {
    const results = await probeAll(await transportsOf({ ssh: ['n[1-30]'] }), echo, [], { limitMs: 10_000 });
    expect(results).toHaveLength(30);
    expect(
      results.map(({ probed }) => [probed.failure, probed.stderr, probed.exit]).filter(([failure]) => failure !== null),
    ).toEqual([]);
  });
});

describe('a signal', () => {
  it('ends what runs, removes the pod of kubectl debug, and then this process', async () => {
    stand = standIns(['kubectl']);
    stand.record('get-node', { out: pods.node });
    stand.record('get-events', { out: pods.none });
    stand.put('debug-pods', pods.debug('MARK'));
    const folder = mkdtempSync(join(tmpdir(), 'culprit-signal-'));
    const { build } = await import('rolldown');
    await build({
      input: join(import.meta.dirname, '../packages/collect/src/transports/index.ts'),
      platform: 'node',
      output: { file: join(folder, 'transports.mjs'), format: 'esm' },
      logLevel: 'silent',
    });
    writeFileSync(
      join(folder, 'run.mjs'),
      `import { transportsOf } from './transports.mjs';
const [node] = await transportsOf({ node: ['gpu-1'], debug: true });
await node.probe('sleep 77.25', [], 60000);
`,
    );
    const child = spawn(process.execPath, [join(folder, 'run.mjs')], { stdio: 'ignore' });
    for (let tries = 0; tries < 500 && !stand.has('debugged'); tries++)
      await new Promise((resolve) => setTimeout(resolve, 20));
    child.kill('SIGTERM');
    const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
    expect(signal).toBe('SIGTERM');
    expect(stand.has('debugged')).toBe(false);
    expect(stand.calls('kubectl').at(-1)).toContain('node-debugger-gpu-1-abcde');
    rmSync(folder, { recursive: true });
  });
});
