// The real kubectl against an API server of a few paths that lives in this test: its arguments, its messages, its streams
// and the removal of its pod are real. No kubelet runs here: what it would start in a container is started on this machine.
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Probed, TargetFlags } from '../../packages/collect/src/transports/index.ts';
import { transportsOf } from '../../packages/collect/src/transports/index.ts';
import { pods } from '../transports-exchanges.ts';
import { transportSuite } from '../transports-suite.ts';
import { commandOfPod, serveStreams } from './kubelet-streams.ts';
import { lacks, shell } from './tools.ts';

type Json = Record<string, unknown>;
interface Pod {
  apiVersion?: string;
  kind?: string;
  metadata: { name: string; namespace?: string };
  spec: { containers: { name: string; image: string; env?: { name: string; value: string }[] }[] };
  status?: Json;
}

const missing = lacks('kubectl');
if (missing !== null) console.warn(`skipping kubectl: ${missing}`);
const minor = /"?gitVersion"?: ?"?v1\.(\d+)/.exec(shell('kubectl version --client -o json').out)?.[1];
// Before, kubectl spoke SPDY only.
const streams = Number(minor ?? 0) >= 31;
if (missing === null && !streams) console.warn(`skipping streams of kubectl: its release is 1.${minor ?? '?'}`);
const resource = (name: string, kind: string, namespaced: boolean): Json => ({
  name,
  singularName: kind.toLowerCase(),
  kind,
  namespaced,
  verbs: ['get', 'list', 'watch', 'create', 'delete'],
});
const groups: Readonly<Record<string, readonly Json[]>> = {
  '/api/v1': [
    resource('pods', 'Pod', true),
    resource('nodes', 'Node', false),
    resource('events', 'Event', true),
    resource('namespaces', 'Namespace', false),
  ],
  '/apis/ray.io/v1': [resource('rayjobs', 'RayJob', true)],
  '/apis/apps/v1': [resource('daemonsets', 'DaemonSet', true)],
  '/apis/node.k8s.io/v1': [resource('runtimeclasses', 'RuntimeClass', false)],
};

describe.skipIf(missing !== null)('the real kubectl', () => {
  const folder = mkdtempSync(join(tmpdir(), 'culprit-kubectl-'));
  const kubeconfig = join(folder, 'config');
  let server: Server;
  let made: Pod[] = [];
  let deleted: string[] = [];
  let denied: RegExp | null = null;
  /** Whether containers run, and what was started in the pod of `kubectl debug`. */
  let runs = false;
  let command: readonly string[] = [];

  const status = (code: number, reason: string, message: string): [number, Json] => [
    code,
    {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason,
      code,
      details: { kind: 'pods' },
    },
  ];
  const kinds: Readonly<Record<string, string>> = {
    pods: 'PodList',
    events: 'EventList',
    daemonsets: 'DaemonSetList',
    runtimeclasses: 'RuntimeClassList',
    nodes: 'NodeList',
  };

  /** The pod of a request: newer kubectl sends it as protocol buffers, of which the texts are enough here. */
  function podOf(body: string): Pod {
    if (body.startsWith('{')) return JSON.parse(body) as Pod;
    const name = /node-debugger-[a-z0-9-]{1,80}/.exec(body)![0];
    const value = /[0-9a-f]{24}/.exec(body)![0];
    return {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default' },
      spec: { containers: [{ name: 'debugger', image: 'busybox', env: [{ name: 'CULPRIT_PROBE', value }] }] },
    };
  }

  /** Pods of one job, by the label that a kind of job gives them. */
  const selectors =
    /^(?:batch\.kubernetes\.io\/job-name=train|jobset\.sigs\.k8s\.io\/jobset-name=train|training\.kubeflow\.org\/job-name=train|ray\.io\/cluster=train-raycluster-abcde)$/;

  function answer(method: string, path: string, bytes: Buffer, query: URLSearchParams): [number, unknown] {
    const body = bytes.toString('latin1');
    if (path === '/version') return [200, { major: '1', minor: '32', gitVersion: 'v1.32.0' }];
    if (path === '/api') return [200, { kind: 'APIVersions', versions: ['v1'] }];
    if (path === '/apis')
      return [
        200,
        {
          kind: 'APIGroupList',
          apiVersion: 'v1',
          groups: ['apps', 'node.k8s.io', 'ray.io'].map((name) => {
            const version = { groupVersion: `${name}/v1`, version: 'v1' };
            return { name, versions: [version], preferredVersion: version };
          }),
        },
      ];
    const group = groups[path];
    if (group !== undefined)
      return [200, { kind: 'APIResourceList', groupVersion: path.replace(/^\/apis?\//, ''), resources: group }];
    if (denied?.test(`${method} ${path}`) === true)
      return status(
        403,
        'Forbidden',
        `pods "train-0" is forbidden: User "me" cannot get resource "pods" in API group "" in the namespace "ml"`,
      );
    if (method === 'POST' && /\/pods$/.test(path)) {
      const pod = podOf(body);
      command = commandOfPod(bytes);
      pod.status = {
        phase: runs ? 'Running' : 'Pending',
        containerStatuses: [
          {
            name: pod.spec.containers[0]!.name,
            image: '',
            imageID: '',
            ready: false,
            restartCount: 0,
            state: runs
              ? { running: { startedAt: '2026-11-30T08:00:00Z' } }
              : { waiting: { reason: 'ErrImagePull', message: 'no such image' } },
          },
        ],
      };
      made.push(pod);
      return [201, pod];
    }
    const log = /\/pods\/([a-z0-9.-]+)\/log$/.exec(path)?.[1];
    if (log !== undefined) return [200, `NCCL WARN said by ${log}\n`];
    if (/\/rayjobs\/train$/.test(path))
      return [
        200,
        {
          apiVersion: 'ray.io/v1',
          kind: 'RayJob',
          metadata: { name: 'train', namespace: 'ml' },
          status: { rayClusterName: 'train-raycluster-abcde' },
        },
      ];
    if (selectors.test(query.get('labelSelector') ?? ''))
      return [200, { ...(JSON.parse(pods.job) as Json), kind: 'PodList' }];
    const pod = /\/pods\/([a-z0-9.-]+)$/.exec(path)?.[1];
    if (pod !== undefined) {
      const found = made.find((each) => each.metadata.name === pod);
      if (method === 'DELETE' && found !== undefined) {
        deleted.push(pod);
        made = made.filter((each) => each !== found);
      }
      if (found !== undefined) return [200, found];
      return pod === 'train-0'
        ? [200, JSON.parse(runs ? pods.running : pods.pending)]
        : status(404, 'NotFound', `pods "${pod}" not found`);
    }
    if (/\/nodes\/gpu-1$/.test(path)) return [200, JSON.parse(pods.node)];
    if (/\/nodes\//.test(path)) return status(404, 'NotFound', `nodes "${path.split('/').at(-1)!}" not found`);
    const kind = kinds[path.split('/').at(-1)!];
    if (kind !== undefined) {
      const apiVersion = path.startsWith('/apis/') ? path.split('/').slice(2, 4).join('/') : 'v1';
      return [200, { kind, apiVersion, metadata: { resourceVersion: '1' }, items: kind === 'PodList' ? made : [] }];
    }
    return status(404, 'NotFound', 'the server could not find the requested resource');
  }

  beforeAll(async () => {
    server = createServer((request, response) => {
      const body: Buffer[] = [];
      request.on('data', (chunk: Buffer) => body.push(chunk));
      request.on('end', () => {
        const url = new URL(request.url!, 'http://x');
        // A watch stays open and tells nothing.
        if (url.searchParams.get('watch') !== null) {
          response.writeHead(200, { 'content-type': 'application/json' });
          response.flushHeaders();
          return;
        }
        const [code, value] = answer(request.method!, url.pathname, Buffer.concat(body), url.searchParams);
        const text = typeof value === 'string';
        response
          .writeHead(code, { 'content-type': text ? 'text/plain' : 'application/json' })
          .end(text ? value : JSON.stringify(value));
      });
    });
    serveStreams(server, (url) =>
      url.pathname.endsWith('/exec')
        ? url.searchParams.getAll('command')
        : url.pathname.endsWith('/attach')
          ? command
          : null,
    );
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const { port } = server.address() as { port: number };
    writeFileSync(
      kubeconfig,
      `apiVersion: v1
kind: Config
current-context: here
clusters: [{ name: here, cluster: { server: 'http://127.0.0.1:${port}' } }]
contexts: [{ name: here, context: { cluster: here, user: me, namespace: default } }, { name: away, context: { cluster: away, user: me } }]
users: [{ name: me, user: {} }]
`,
    );
    process.env['HOME'] = folder;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(() => {
    made = [];
    deleted = [];
    denied = null;
    runs = false;
  });
  const probe = async (flags: TargetFlags, limitMs = 20_000): Promise<Probed> =>
    (await transportsOf({ kubeconfig, ...flags }))[0]!.probe('exit 0', [], limitMs);

  it('reads what is between a pod and its GPU', async () => {
    const probed = await probe({ pod: ['ml/train-0'] });
    expect(probed.failure).toBeNull();
    expect(probed.text).toContain('@ kubectl-pod ');
    expect(probed.text).toContain('"phase": "Pending"');
    expect(probed.text).toContain('@ kubectl-runtimeclass ');
    expect(probed.text).not.toContain('@ kubectl-clusterpolicy');
  });

  it('says what is not there, denied, or elsewhere', async () => {
    expect((await probe({ pod: ['ml/nobody'] })).failure).toMatch(/not found/);
    expect((await probe({ node: ['nowhere'] })).failure).toMatch(/not found/);
    expect((await probe({ pod: ['ml/train-0'], context: 'nowhere' })).failure).toBe(
      'the kubeconfig has no context nowhere',
    );
    denied = /pods\/train-0/;
    expect((await probe({ pod: ['ml/train-0'] })).failure).toMatch(
      /^forbidden: me may not get pods in the namespace ml/,
    );
  });

  it('--debug: what was started is removed, and what it waited for is said', async () => {
    const probed = await probe({ node: ['gpu-1'], debug: true, debugImage: 'registry.local/busybox:1' }, 6000);
    expect(deleted).toHaveLength(1);
    expect(deleted[0]).toMatch(/^node-debugger-gpu-1-/);
    expect(made).toEqual([]);
    expect(probed.failure).toContain('ErrImagePull, no such image');
    expect(probed.text).toContain('@ kubectl-node ');
  });

  it.each([
    'ml/train',
    'job/ml/train',
    'jobset/ml/train',
    'rayjob/ml/train',
    'trainjob/ml/train',
    'pytorchjob/ml/train',
  ])('a job %s: its pods with rank and node, and what they print', async (name) => {
    const transports = await transportsOf({ kubeconfig, job: [name] });
    expect(transports.map((each) => each.subject)).toEqual(['job ml/train', 'pod ml/train-0-x', 'pod ml/train-1-y']);
    const { text, failure } = await transports[0]!.probe('exit 0', [], 20_000);
    expect(failure).toBeNull();
    expect(text).toMatch(/^\|train-0-x {3}Running {3}0 {6}gpu-1$/m);
    expect(text).toContain('|[pod/train-1-y/main] NCCL WARN said by train-1-y');
  });

  it('a job nobody knows is one line', async () => {
    const [only, ...rest] = await transportsOf({ kubeconfig, job: ['rayjob/ml/nobody'] });
    expect(rest).toEqual([]);
    expect((await only!.probe('exit 0', [], 20_000)).failure).toMatch(/could not find|not found/);
  });

  describe.skipIf(!streams)('where containers run', () => {
    beforeEach(() => {
      runs = true;
    });
    transportSuite('a pod', {
      make: async () => (await transportsOf({ kubeconfig, pod: ['ml/train-0'] }))[0]!,
      // A kubelet does not end what it started when kubectl goes.
      killsThere: false,
      hangMs: 4000,
    });
    transportSuite('a node with --debug', {
      make: async () =>
        (await transportsOf({ kubeconfig, node: ['gpu-1'], debug: true, debugImage: 'registry.local/busybox:1' }))[0]!,
      own: ['--root', '/host'],
      killsThere: false,
      real: false,
      hangMs: 4000,
      much: false,
    });

    it('leaves no pod of kubectl debug behind', async () => {
      await probe({ node: ['gpu-1'], debug: true, debugImage: 'registry.local/busybox:1' });
      expect(deleted).toHaveLength(1);
      expect(made).toEqual([]);
    });
  });
});
