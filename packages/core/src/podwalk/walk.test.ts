import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Document } from '../model/document.ts';
import type { PodWalk } from './walk.ts';
import { createDocument } from '../text/document.ts';
import { walkPod } from './walk.ts';

type Json = Record<string, unknown>;

/** As `kubectl get -o json` prints it, in the probe's framing. */
const framed = (sections: readonly (readonly [string, Json])[]): Document =>
  createDocument(
    [
      '@culprit-probe 1 2026-11-30T08:00:00Z root=- pid=- gate=no',
      ...sections.flatMap(([command, object]) => [
        `@ kubectl ${command}`,
        ...JSON.stringify(object, null, 1)
          .split('\n')
          .map((line) => `|${line}`),
        '@= exit=0 ms=1',
      ]),
      `@culprit-end sections=${sections.length} ms=1`,
      '',
    ].join('\n'),
    { subject: 'pod ml/train-0' },
  );
const list = (items: readonly Json[]): Json => ({ apiVersion: 'v1', kind: 'List', items });

interface Scene {
  readonly pod?: Json;
  readonly spec?: Json;
  readonly status?: Json;
  readonly limits?: Json;
  readonly node?: string | null;
  readonly labels?: Json;
  readonly capacity?: Json;
  readonly allocatable?: Json;
  readonly ready?: string;
  readonly plugin?: Json | null;
  readonly toolkit?: Json;
  readonly driver?: Json;
  readonly classes?: readonly string[];
  readonly events?: readonly (readonly [string, string])[];
  readonly sets?: readonly Json[];
}

const up = { phase: 'Running', containerStatuses: [{ name: 'ctr', ready: true, state: { running: {} } }] };
const waiting = (init: string): Json => ({
  phase: 'Pending',
  initContainerStatuses: [{ name: init, ready: false, state: { running: { startedAt: '2026-11-30T08:00:00Z' } } }],
});
const crashing = {
  phase: 'Running',
  containerStatuses: [
    { name: 'ctr', ready: false, state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off' } } },
  ],
};
const stackPod = (name: string, status: Json, more: Json = {}): Json => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `${name}-x1`, namespace: 'gpu-operator', labels: { app: name }, ...more },
  spec: { nodeName: 'gpu-1', containers: [{ name: 'ctr' }] },
  status,
});

function scene(given: Scene): PodWalk {
  const nodeName = given.node === undefined ? 'gpu-1' : given.node;
  const limits = given.limits ?? { 'nvidia.com/gpu': '1' };
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'train-0', namespace: 'ml' },
    spec: {
      ...(nodeName === null ? {} : { nodeName }),
      containers: [{ name: 'main', resources: { limits } }],
      ...given.spec,
    },
    status: given.status ?? (nodeName === null ? { phase: 'Pending' } : up),
  };
  const node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'gpu-1', labels: given.labels ?? {} },
    status: {
      capacity: given.capacity ?? { 'nvidia.com/gpu': '8' },
      allocatable: given.allocatable ?? given.capacity ?? { 'nvidia.com/gpu': '8' },
      conditions: [{ type: 'Ready', status: given.ready ?? 'True', reason: 'KubeletReady' }],
    },
  };
  const events = (given.events ?? []).map(([reason, message], index) => ({
    apiVersion: 'v1',
    kind: 'Event',
    type: 'Warning',
    reason,
    message,
    involvedObject: { kind: 'Pod', name: 'train-0', namespace: 'ml' },
    lastTimestamp: `2026-11-30T08:00:0${index}Z`,
  }));
  const stack = [
    ...(given.plugin === null ? [] : [given.plugin ?? stackPod('nvidia-device-plugin-daemonset', up)]),
    ...(given.toolkit === undefined ? [] : [given.toolkit]),
    ...(given.driver === undefined ? [] : [given.driver]),
  ];
  return walkPod([
    framed([
      ['kubectl get pod train-0 -o json', pod],
      ['kubectl get events -o json', list(events)],
      ['kubectl get node gpu-1 -o json', nodeName === null ? list([node]) : node],
      ['kubectl get pods -A -o json', list(stack)],
      ...(given.classes === undefined
        ? []
        : [
            [
              'kubectl get runtimeclasses.node.k8s.io -o json',
              list(given.classes.map((name) => ({ kind: 'RuntimeClass', metadata: { name }, handler: name }))),
            ] as const,
          ]),
      ['kubectl get daemonsets.apps -A -o json', list(given.sets ?? [])],
    ]),
  ])!;
}

const insufficient = '0/1 nodes are available: 1 Insufficient nvidia.com/gpu. preemption: not eligible';

describe('walkPod', () => {
  it.each<readonly [string, Scene, string | null, string, string | null]>([
    [
      'all holds',
      { toolkit: stackPod('nvidia-container-toolkit-daemonset', up), driver: stackPod('nvidia-driver-daemonset', up) },
      null,
      '',
      null,
    ],
    ['the pod asks for no GPU', { limits: { cpu: '1' } }, 'pod', 'broken', 'visible-devices-empty-by-scheduler'],
    [
      'all GPUs are taken',
      { node: null, events: [['FailedScheduling', insufficient]] },
      'node',
      'broken',
      'gpus-all-taken',
    ],
    [
      'more GPUs than any node has',
      { node: null, limits: { 'nvidia.com/gpu': '16' }, events: [['FailedScheduling', insufficient]] },
      'node',
      'broken',
      'gpu-unallocatable',
    ],
    [
      'another reason of the scheduler too',
      {
        node: null,
        events: [
          [
            'FailedScheduling',
            '0/2 nodes are available: 1 Insufficient nvidia.com/gpu, 1 node(s) had untolerated taint {a: b}.',
          ],
        ],
      },
      'node',
      'broken',
      null,
    ],
    [
      'no node offers any',
      { node: null, capacity: { cpu: '64' }, events: [['FailedScheduling', insufficient]] },
      'node',
      'broken',
      'device-plugin-not-running',
    ],
    [
      'the plugin runs, no node offers any',
      {
        node: null,
        capacity: { cpu: '64' },
        events: [['FailedScheduling', insufficient]],
        sets: [{ kind: 'DaemonSet', metadata: { name: 'nvidia-device-plugin-daemonset' }, status: { numberReady: 3 } }],
      },
      'node',
      'broken',
      'device-plugin-sees-no-gpu',
    ],
    [
      'a resource of another name',
      { node: null, capacity: { 'nvidia.com/mig-1g.10gb': '7' }, events: [['FailedScheduling', insufficient]] },
      'node',
      'broken',
      'gpu-resource-name-wrong',
    ],
    [
      'none is allocatable',
      { node: null, allocatable: { 'nvidia.com/gpu': '0' }, events: [['FailedScheduling', insufficient]] },
      'node',
      'broken',
      'gpu-unallocatable',
    ],
    [
      'waiting while the node is upgraded',
      {
        node: null,
        allocatable: { 'nvidia.com/gpu': '0' },
        labels: { 'nvidia.com/gpu-driver-upgrade-state': 'pod-restart-required' },
        events: [['FailedScheduling', insufficient]],
      },
      'node',
      'upgrading',
      'driver-upgrade-in-progress',
    ],
    [
      'the node is upgraded',
      {
        labels: { 'nvidia.com/gpu-driver-upgrade-state': 'drain-required' },
        plugin: stackPod('nvidia-device-plugin-daemonset', crashing),
      },
      'node',
      'upgrading',
      'driver-upgrade-in-progress',
    ],
    [
      'an upgrade that is only due does not count',
      { labels: { 'nvidia.com/gpu-driver-upgrade-state': 'upgrade-required' } },
      null,
      '',
      null,
    ],
    [
      'an upgrade that is done does not count',
      { labels: { 'nvidia.com/gpu-driver-upgrade-state': 'upgrade-done' } },
      null,
      '',
      null,
    ],
    [
      'an upgrade that failed',
      { labels: { 'nvidia.com/gpu-driver-upgrade-state': 'upgrade-failed' } },
      'node',
      'broken',
      'driver-upgrade-failed',
    ],
    [
      'the driver pod is being replaced',
      { driver: stackPod('nvidia-driver-daemonset', up, { deletionTimestamp: '2026-11-30T08:00:00Z' }) },
      'node',
      'upgrading',
      'driver-upgrade-in-progress',
    ],
    ['the node is not ready', { ready: 'Unknown' }, 'node', 'broken', 'node-not-ready'],
    [
      'the device plugin crashes',
      { plugin: stackPod('nvidia-device-plugin-daemonset', crashing) },
      'device-plugin',
      'broken',
      'device-plugin-not-running',
    ],
    [
      'no device plugin',
      { plugin: null, capacity: { cpu: '4' }, status: { phase: 'Pending' } },
      'device-plugin',
      'broken',
      'device-plugin-not-running',
    ],
    [
      'the plugin waits for the toolkit, which crashes',
      {
        plugin: stackPod('nvidia-device-plugin-daemonset', waiting('toolkit-validation')),
        toolkit: stackPod('nvidia-container-toolkit-daemonset', crashing),
      },
      'container-toolkit',
      'broken',
      'container-toolkit-not-ready',
    ],
    [
      'all wait for the driver, which crashes',
      {
        plugin: stackPod('nvidia-device-plugin-daemonset', waiting('toolkit-validation')),
        toolkit: stackPod('nvidia-container-toolkit-daemonset', waiting('driver-validation')),
        driver: stackPod('nvidia-driver-daemonset', crashing),
      },
      'driver',
      'broken',
      'host-driver-not-loaded',
    ],
    [
      'the plugin waits, though all it waits for holds',
      { plugin: stackPod('nvidia-device-plugin-daemonset', waiting('toolkit-validation')) },
      'device-plugin',
      'broken',
      'device-plugin-not-running',
    ],
    [
      'the node refused the pod',
      {
        status: { phase: 'Failed' },
        events: [
          [
            'UnexpectedAdmissionError',
            'Allocate failed due to no healthy devices present; cannot allocate unhealthy devices nvidia.com/gpu, which is unexpected',
          ],
        ],
      },
      'device-plugin',
      'broken',
      'gpu-unallocatable',
    ],
    [
      'no such runtime class',
      { spec: { runtimeClassName: 'nvidia' }, classes: ['kata'] },
      'runtime-class',
      'broken',
      'k8s-runtime-class-missing',
    ],
    ['the runtime class exists', { spec: { runtimeClassName: 'nvidia' }, classes: ['nvidia'] }, null, '', null],
    ['the runtime classes could not be read', { spec: { runtimeClassName: 'nvidia' } }, null, '', null],
    [
      'the node knows no such runtime',
      {
        status: { phase: 'Pending' },
        spec: { runtimeClassName: 'nvidia' },
        classes: ['nvidia'],
        events: [
          [
            'FailedCreatePodSandBox',
            'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to get sandbox runtime: no runtime for "nvidia" is configured',
          ],
        ],
      },
      'runtime-class',
      'broken',
      'k8s-runtime-class-missing',
    ],
    [
      'the toolkit fails to make the container',
      {
        status: { phase: 'Pending' },
        events: [
          [
            'Failed',
            'Error: failed to create containerd task: failed to create shim task: OCI runtime create failed: unresolvable CDI devices nvidia.com/gpu=0: unknown',
          ],
        ],
      },
      'container-toolkit',
      'broken',
      null,
    ],
    [
      'the driver does not load',
      {
        status: { phase: 'Pending' },
        events: [
          [
            'Failed',
            'Error: failed to create containerd task: OCI runtime create failed: nvidia-container-cli: initialization error: nvml error: driver not loaded: unknown',
          ],
        ],
      },
      'driver',
      'broken',
      null,
    ],
    [
      'the program ended',
      {
        status: {
          phase: 'Failed',
          containerStatuses: [{ name: 'main', ready: false, state: { terminated: { exitCode: 1, reason: 'Error' } } }],
        },
      },
      'container',
      'broken',
      null,
    ],
    [
      'the driver pod only starts',
      {
        plugin: stackPod('nvidia-device-plugin-daemonset', waiting('toolkit-validation')),
        driver: stackPod('nvidia-driver-daemonset', waiting('k8s-driver-manager')),
      },
      'node',
      'upgrading',
      'driver-upgrade-in-progress',
    ],
    [
      'a driver pod that was started again does not only start',
      {
        driver: stackPod('nvidia-driver-daemonset', {
          phase: 'Running',
          containerStatuses: [{ name: 'ctr', ready: false, restartCount: 3, state: { running: {} } }],
        }),
      },
      'driver',
      'broken',
      'host-driver-not-loaded',
    ],
    ['devices by resource claims', { limits: {}, spec: { resourceClaims: [{ name: 'gpu' }] } }, null, '', null],
    [
      'a GPU by the variable alone',
      { limits: {}, spec: { containers: [{ name: 'main', env: [{ name: 'NVIDIA_VISIBLE_DEVICES', value: 'all' }] }] } },
      null,
      '',
      null,
    ],
    [
      'a program that was started again and runs',
      {
        status: {
          phase: 'Running',
          containerStatuses: [
            {
              name: 'main',
              ready: true,
              restartCount: 2,
              state: { running: {} },
              lastState: { terminated: { exitCode: 1, reason: 'Error' } },
            },
          ],
        },
      },
      null,
      '',
      null,
    ],
    [
      'a program that ends again and again',
      {
        status: {
          phase: 'Running',
          containerStatuses: [
            {
              name: 'main',
              ready: false,
              restartCount: 7,
              state: { waiting: { reason: 'CrashLoopBackOff' } },
              lastState: { terminated: { exitCode: 139, reason: 'Error' } },
            },
          ],
        },
      },
      'container',
      'broken',
      null,
    ],
    [
      'an init container that fails',
      {
        status: {
          phase: 'Pending',
          initContainerStatuses: [{ name: 'fetch', state: { terminated: { exitCode: 2, reason: 'Error' } } }],
          containerStatuses: [{ name: 'main', state: { waiting: { reason: 'PodInitializing' } } }],
        },
      },
      'container',
      'broken',
      null,
    ],
    [
      'a container that is being made',
      {
        status: {
          phase: 'Pending',
          containerStatuses: [{ name: 'main', state: { waiting: { reason: 'ContainerCreating' } } }],
        },
      },
      null,
      '',
      null,
    ],
    [
      'a container that cannot be made',
      {
        status: {
          phase: 'Pending',
          containerStatuses: [{ name: 'main', state: { waiting: { reason: 'ContainerCreating' } } }],
        },
        events: [['FailedMount', 'MountVolume.SetUp failed for volume "data": not found']],
      },
      'container',
      'broken',
      null,
    ],
  ])('%s', (_, given, link, state, cause) => {
    const walk = scene(given);
    expect(walk.stopsAt?.link ?? null).toBe(link);
    if (link === null) return;
    expect(walk.stopsAt).toMatchObject({ state, cause });
    expect(walk.stopsAt!.seen.length).toBeGreaterThan(0);
  });

  it('quotes the events of the pod, and only those', () => {
    const walk = scene({ node: null, events: [['FailedScheduling', insufficient]] });
    expect(walk.events.map((each) => each.text)).toEqual([expect.stringContaining(insufficient)]);
    expect(walk.events[0]!.subject).not.toBe('');
  });

  it('knows the pod by its name', () => {
    const text = JSON.stringify(
      { kind: 'Pod', metadata: { name: 'a', namespace: 'x' }, spec: { containers: [] }, status: {} },
      null,
      2,
    );
    expect(walkPod([createDocument(text)], { namespace: 'x', pod: 'b' })).toBeNull();
    expect(walkPod([createDocument(text)], { namespace: null, pod: 'a' })?.stopsAt?.link).toBe('pod');
    expect(walkPod([createDocument('nothing')])).toBeNull();
    // A manifest is no pod yet.
    expect(walkPod([createDocument(text.replace(/"status"/, '"more"'))])).toBeNull();
  });

  it('never fails, whatever is cut off', () => {
    const text = JSON.stringify(
      {
        kind: 'Pod',
        metadata: { name: 'a' },
        spec: { nodeName: 'n', containers: [{ resources: { limits: { 'nvidia.com/gpu': '1' } } }] },
        status: { containerStatuses: [{}] },
      },
      null,
      1,
    );
    fc.assert(
      fc.property(fc.nat(text.length), fc.nat(text.length), (from, to) => {
        expect(() => walkPod([createDocument(text.slice(0, from) + text.slice(to))])).not.toThrow();
      }),
      { numRuns: 100 },
    );
  });
});
