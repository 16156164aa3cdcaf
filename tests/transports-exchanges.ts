// Recorded exchanges: what kubectl prints as JSON, cut to what is read.

const list = (items: readonly unknown[]): string =>
  `${JSON.stringify({ apiVersion: 'v1', items, kind: 'List', metadata: { resourceVersion: '' } }, null, 4)}\n`;

const gpu = { 'nvidia.com/gpu': '1' };

const pod = (
  name: string,
  more: {
    readonly node?: string;
    readonly phase: string;
    readonly state?: object;
    readonly last?: object;
    readonly labels?: object;
    readonly image?: string;
    readonly namespace?: string;
  },
): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace: more.namespace ?? 'ml',
    labels: more.labels ?? { app: 'train' },
    annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{"apiVersion":"v1","kind":"Pod"}' },
  },
  spec: {
    ...(more.node === undefined ? {} : { nodeName: more.node }),
    containers: [
      {
        name: 'main',
        image: more.image ?? 'docker.io/pytorch/pytorch:2.7.0-cuda12.8-cudnn9-runtime',
        resources: { limits: gpu, requests: gpu },
      },
    ],
  },
  status: {
    phase: more.phase,
    ...(more.state === undefined
      ? {}
      : {
          containerStatuses: [
            {
              name: 'main',
              ready: more.last === undefined,
              restartCount: more.last === undefined ? 0 : 4,
              state: more.state,
              ...(more.last === undefined ? {} : { lastState: more.last }),
            },
          ],
        }),
  },
});

const running = { running: { startedAt: '2026-11-30T08:00:00Z' } };
const node = (name: string, allocatable: string): object => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'nvidia.com/gpu.present': 'true', 'nvidia.com/gpu.product': 'NVIDIA-H100-80GB-HBM3' } },
  spec: {},
  status: {
    allocatable: { cpu: '64', 'nvidia.com/gpu': allocatable },
    capacity: { cpu: '64', 'nvidia.com/gpu': '8' },
    conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' }],
    nodeInfo: {
      containerRuntimeVersion: 'containerd://1.7.24',
      kernelVersion: '5.15.0-130-generic',
      osImage: 'Ubuntu 22.04.5 LTS',
    },
  },
});

const debugPod = (name: string, mark: string): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: {
    nodeName: 'gpu-1',
    containers: [{ name: 'debugger', image: 'busybox', env: [{ name: 'CULPRIT_PROBE', value: mark }] }],
  },
  status: {
    phase: 'Pending',
    containerStatuses: [
      {
        name: 'debugger',
        state: { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "busybox"' } },
      },
    ],
  },
});

export const pods = {
  none: list([]),
  running: `${JSON.stringify(pod('train-0', { node: 'gpu-1', phase: 'Running', state: running }), null, 4)}\n`,
  failed: `${JSON.stringify(
    pod('train-0', {
      node: 'gpu-1',
      phase: 'Running',
      state: { waiting: { reason: 'CrashLoopBackOff' } },
      last: { terminated: { exitCode: 1, reason: 'Error' } },
    }),
    null,
    4,
  )}\n`,
  pending: `${JSON.stringify(pod('train-0', { phase: 'Pending' }), null, 4)}\n`,
  node: `${JSON.stringify(node('gpu-1', '8'), null, 4)}\n`,
  nodes: list([node('gpu-1', '8'), node('gpu-2', '8')]),
  stack: list([
    pod('nvidia-device-plugin-daemonset-x7', {
      node: 'gpu-1',
      phase: 'Running',
      state: running,
      namespace: 'gpu-operator',
      labels: { app: 'nvidia-device-plugin-daemonset' },
      image: 'nvcr.io/nvidia/k8s-device-plugin:v0.17.0',
    }),
    pod('somebody-elses-notebook', {
      node: 'gpu-1',
      phase: 'Running',
      state: running,
      namespace: 'alice',
      image: 'nvcr.io/nvidia/pytorch:25.01-py3',
    }),
  ]),
  events: list([
    {
      apiVersion: 'v1',
      kind: 'Event',
      count: 3,
      involvedObject: { kind: 'Pod', name: 'train-0', namespace: 'ml' },
      lastTimestamp: '2026-11-30T08:00:00Z',
      message: '0/2 nodes are available: 2 Insufficient nvidia.com/gpu.',
      metadata: { name: 'train-0.1', namespace: 'ml' },
      reason: 'FailedScheduling',
      type: 'Warning',
    },
  ]),
  job: list([
    pod('train-0-x', {
      node: 'gpu-1',
      phase: 'Running',
      state: running,
      labels: { 'batch.kubernetes.io/job-completion-index': '0', 'batch.kubernetes.io/job-name': 'train' },
    }),
    pod('train-1-y', {
      node: 'gpu-2',
      phase: 'Failed',
      labels: { 'batch.kubernetes.io/job-completion-index': '1', 'batch.kubernetes.io/job-name': 'train' },
    }),
  ]),
  debug: (mark: string): string =>
    list([debugPod('node-debugger-gpu-1-abcde', mark), debugPod('node-debugger-gpu-1-other', 'another')]),
} as const;

/** True where a text is one whole frame of the probe's. */
export function isItsText(text: string): boolean {
  const lines = text.split('\n');
  return (
    lines[0]!.startsWith('@culprit-probe 1 ') &&
    lines.at(-2)!.startsWith('@culprit-end ') &&
    lines.slice(0, -1).every((line) => /^[@|]/.test(line))
  );
}
