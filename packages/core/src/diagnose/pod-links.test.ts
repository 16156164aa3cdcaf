import { describe, expect, it } from 'vitest';
import type { Verdict } from '../model/verdict.ts';
import { defaultKnowledge } from '../knowledge/knowledge.ts';
import { reportVerdict } from '../report/verdict-report.ts';
import { createDocument } from '../text/document.ts';
import { diagnose } from './diagnose.ts';

type Json = Record<string, unknown>;

const list = (...items: readonly Json[]): Json => ({ apiVersion: 'v1', kind: 'List', items });
const runs = {
  phase: 'Running',
  containerStatuses: [{ name: 'c', ready: true, restartCount: 0, state: { running: {} } }],
};
const crashes = {
  phase: 'Running',
  containerStatuses: [
    {
      name: 'c',
      ready: false,
      restartCount: 4,
      state: { waiting: { reason: 'CrashLoopBackOff' } },
      lastState: { terminated: { exitCode: 1, reason: 'Error' } },
    },
  ],
};
const pod = (status: Json, limits: Json = { 'nvidia.com/gpu': '1' }): Json => ({
  kind: 'Pod',
  metadata: { name: 'train-0', namespace: 'ml' },
  spec: { nodeName: 'gpu-1', containers: [{ name: 'c', resources: { limits } }] },
  status,
});
const node = (labels: Json = {}): Json => ({
  kind: 'Node',
  metadata: { name: 'gpu-1', labels },
  status: {
    capacity: { 'nvidia.com/gpu': '8' },
    allocatable: { 'nvidia.com/gpu': '8' },
    conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }],
  },
});
const stack = (app: string, status: Json): Json => ({
  kind: 'Pod',
  metadata: { name: `${app}-x`, namespace: 'gpu-operator', labels: { app } },
  spec: { nodeName: 'gpu-1', containers: [{ name: 'c' }] },
  status,
});
const event = (reason: string, message: string): Json => ({
  kind: 'Event',
  type: 'Warning',
  reason,
  message,
  involvedObject: { kind: 'Pod', name: 'train-0', namespace: 'ml' },
  lastTimestamp: '2026-11-30T08:00:00Z',
});

/** What `check --pod` saw, in the probe's frame. */
function seen(
  given: Json,
  options: { node?: Json; events?: readonly Json[]; pods?: readonly Json[]; log?: string; subject?: string } = {},
): Verdict {
  const sections: (readonly [string, string])[] = [
    ['kubectl get pod train-0 -o json', JSON.stringify(given, null, 4)],
    ['kubectl get events -o json', JSON.stringify(list(...(options.events ?? [])), null, 4)],
    ['kubectl get node gpu-1 -o json', JSON.stringify(options.node ?? node(), null, 4)],
    ['kubectl get pods -A -o json', JSON.stringify(list(...(options.pods ?? [])), null, 4)],
    ...(options.log === undefined ? [] : [['kubectl logs train-0 --previous', options.log] as const]),
  ];
  const text = sections.map(([command, body]) =>
    [`@ kubectl ${command}`, ...body.split('\n').map((line) => `|${line}`), '@= exit=0 ms=1'].join('\n'),
  );
  return diagnose([
    createDocument(
      ['@culprit-probe 1 2026-11-30T08:00:00Z root=- pid=- gate=no', ...text, '@culprit-end sections=4 ms=1', ''].join(
        '\n',
      ),
      { subject: options.subject ?? 'pod ml/train-0' },
    ),
  ]);
}

const links = (verdict: Verdict): readonly string[] =>
  verdict.facts
    .filter((fact) => fact.id === 'k8s.link')
    .map((fact) => {
      const { link, state } = fact.value as { link: string; state: string };
      return `${link} ${state}`;
    });
const plugin = stack('nvidia-device-plugin-daemonset', runs);

describe('the way from a pod to its GPU', () => {
  it.each<readonly [string, () => Verdict, string | null, string]>([
    [
      'the driver pod crashes',
      () => seen(pod({ phase: 'Pending' }), { pods: [plugin, stack('nvidia-driver-daemonset', crashes)] }),
      'host-driver-not-loaded',
      'driver broken',
    ],
    [
      'the toolkit pod crashes',
      () => seen(pod({ phase: 'Pending' }), { pods: [plugin, stack('nvidia-container-toolkit-daemonset', crashes)] }),
      'container-toolkit-not-ready',
      'container-toolkit broken',
    ],
    [
      'the plugin crashes',
      () => seen(pod({ phase: 'Pending' }), { pods: [stack('nvidia-device-plugin-daemonset', crashes)] }),
      'device-plugin-not-running',
      'device-plugin broken',
    ],
    [
      'a node that is being upgraded is no fault, whatever crashes there',
      () =>
        seen(pod({ phase: 'Pending' }), {
          node: node({ 'nvidia.com/gpu-driver-upgrade-state': 'pod-restart-required' }),
          pods: [stack('nvidia-device-plugin-daemonset', crashes)],
        }),
      'driver-upgrade-in-progress',
      'node upgrading',
    ],
    ['the program fails, and nothing says why', () => seen(pod(crashes), { pods: [plugin] }), null, 'container broken'],
    [
      'the program fails, and its log says why',
      () =>
        seen(pod(crashes), {
          pods: [plugin],
          log: 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 90.00 GiB. GPU 0 has a total capacity of 79.10 GiB of which 78.00 GiB is free.',
        }),
      'application-out-of-memory',
      'container broken',
    ],
    [
      'the program looks for a GPU that the pod does not ask for',
      () => seen(pod(crashes, {}), { pods: [plugin], log: 'RuntimeError: No CUDA GPUs are available' }),
      'visible-devices-empty-by-scheduler',
      'pod broken',
    ],
  ])('%s', (_, make, cause, last) => {
    const verdict = make();
    expect(verdict.cause).toBe(cause);
    expect(links(verdict).at(-1)).toBe(last);
    expect(verdict.headline).not.toBe('');
  });

  it('leads with proof, quotes the events, and comes first among the facts', () => {
    const message = 'Error: failed to start the container: no such device';
    const verdict = seen(pod({ phase: 'Pending' }), {
      events: [event('Failed', message)],
      pods: [plugin, stack('nvidia-driver-daemonset', crashes)],
    });
    expect(verdict).toMatchObject({ status: 'fault', certainty: 'proved', layer: 'driver' });
    expect(verdict.findings[0]!.evidence.map((each) => each.text).join('\n')).toContain(message);
    expect(verdict.facts[0]!.id).toBe('k8s.link');
    const shown = { knowledge: defaultKnowledge, version: '0', color: false, columns: null, left: [] };
    for (const format of ['text', 'markdown', 'json'] as const)
      expect(reportVerdict(verdict, format, shown)).toContain(message);
    const text = reportVerdict(verdict, 'text', shown);
    expect(text).toContain('From pod ml/train-0 to its GPU');
    expect(text).toContain('not looked at: container');
  });

  it('is not ok where the way is broken, and not broken where all holds', () => {
    expect(seen(pod(crashes), { pods: [plugin] }).status).toBe('cannot-tell');
    const well = seen(pod(runs), { pods: [plugin] });
    expect(well.findings).toEqual([]);
    expect(links(well).filter((each) => /broken|upgrading/.test(each))).toEqual([]);
  });

  it('is walked for the pod that was asked for, else for the first that gets no further', () => {
    const other = { ...pod(runs), metadata: { name: 'other', namespace: 'ml' } };
    const both = { pods: [plugin, other] };
    expect(links(seen(pod(crashes), { ...both, subject: 'host' })).at(-1)).toBe('container broken');
    expect(links(seen(pod(crashes), { ...both, subject: 'pod ml/other' })).at(-1)).toBe('container holds');
    expect(links(seen(pod(crashes), { ...both, subject: 'pod ml/other/c' })).at(-1)).toBe('container holds');
  });

  it('is not walked for a pod alone, nor for a manifest', () => {
    expect(links(diagnose([createDocument(JSON.stringify(pod(runs), null, 2))]))).toEqual([]);
    const { status, ...manifest } = pod(runs);
    expect(status).toBeDefined();
    expect(links(diagnose([createDocument(JSON.stringify(list(manifest, node()), null, 2))]))).toEqual([]);
  });
});
