// The real kubectl against an API server of a few paths that lives in this test: no kubelet runs here, so that nothing is
// entered; but its arguments, its messages and the removal of its pod are real.
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Probed, TargetFlags } from '../../packages/collect/src/transports/index.ts';
import { transportsOf } from '../../packages/collect/src/transports/index.ts';
import { pods } from '../transports-exchanges.ts';
import { lacks } from './tools.ts';

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

  function answer(method: string, path: string, body: string): [number, unknown] {
    if (path === '/version') return [200, { major: '1', minor: '32', gitVersion: 'v1.32.0' }];
    if (path === '/api') return [200, { kind: 'APIVersions', versions: ['v1'] }];
    if (path === '/apis')
      return [
        200,
        {
          kind: 'APIGroupList',
          apiVersion: 'v1',
          groups: ['apps', 'node.k8s.io'].map((name) => {
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
      pod.status = {
        phase: 'Pending',
        containerStatuses: [
          {
            name: pod.spec.containers[0]!.name,
            image: '',
            imageID: '',
            ready: false,
            restartCount: 0,
            state: { waiting: { reason: 'ErrImagePull', message: 'no such image' } },
          },
        ],
      };
      made.push(pod);
      return [201, pod];
    }
    const pod = /\/pods\/([a-z0-9.-]+)$/.exec(path)?.[1];
    if (pod !== undefined) {
      const found = made.find((each) => each.metadata.name === pod);
      if (method === 'DELETE' && found !== undefined) {
        deleted.push(pod);
        made = made.filter((each) => each !== found);
      }
      if (found !== undefined) return [200, found];
      return pod === 'train-0' ? [200, JSON.parse(pods.pending)] : status(404, 'NotFound', `pods "${pod}" not found`);
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
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString('latin1')));
      request.on('end', () => {
        const url = new URL(request.url!, 'http://x');
        // A watch stays open and tells nothing.
        if (url.searchParams.get('watch') !== null) {
          response.writeHead(200, { 'content-type': 'application/json' });
          response.flushHeaders();
          return;
        }
        const [code, value] = answer(request.method!, url.pathname, body);
        response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(value));
      });
    });
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
});
