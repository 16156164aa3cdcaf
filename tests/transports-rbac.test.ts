import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { objectsOf } from '@culprit/core/parse/objects';
import { listAt, textAt } from '@culprit/core/parse/tree';
import { createDocument } from '@culprit/core/text/document';
import type { TargetFlags } from '../packages/collect/src/transports/index.ts';
import { probeAll, transportsOf } from '../packages/collect/src/transports/index.ts';
import { pods } from './transports-exchanges.ts';
import type { StandIns } from './transports-stand-ins.ts';
import { standIns } from './transports-stand-ins.ts';

const page = readFileSync(join(import.meta.dirname, '../docs/guide/check-rbac.md'), 'utf8');

/** `verb group/resource` of every rule of the roles of the page, by role. */
function allowed(): ReadonlyMap<string, ReadonlySet<string>> {
  const roles = new Map<string, Set<string>>();
  for (const [, yaml] of page.matchAll(/```yaml\n([\s\S]*?)```/g)) {
    for (const { root } of objectsOf(createDocument(yaml!))) {
      const rights = new Set<string>();
      const words = (rule: (typeof rules)[number], key: string): readonly string[] =>
        listAt(rule, key).map((each) => each.text ?? '');
      const rules = listAt(root, 'rules');
      for (const rule of rules)
        for (const group of words(rule, 'apiGroups'))
          for (const resource of words(rule, 'resources'))
            for (const verb of words(rule, 'verbs')) rights.add(`${verb} ${group}/${resource}`);
      roles.set(`${textAt(root, 'kind')} ${textAt(root, 'metadata', 'name')}`, rights);
    }
  }
  return roles;
}

/** What a call of kubectl has to be allowed. */
function needed(call: readonly string[]): readonly string[] {
  const words = call
    .slice(1, call.includes('--') ? call.indexOf('--') : undefined)
    .filter((word) => !word.startsWith('-'));
  const [verb, kind, name] = words;
  if (verb === 'exec') return ['create /pods/exec', 'get /pods/exec', 'get /pods'];
  if (verb === 'logs') return ['get /pods/log', 'list /pods'];
  if (verb === 'debug')
    return [
      'create /pods',
      'get /pods',
      'watch /pods',
      'create /pods/attach',
      'get /pods/attach',
      'get /pods/log',
      'get /nodes',
    ];
  if (verb === 'delete') return ['delete /pods'];
  expect(verb).toBe('get');
  const [resource, ...group] = kind!.split('.');
  const plural = /s$/.test(resource!) ? resource! : `${resource!}s`;
  return [`${name === undefined ? 'list' : 'get'} ${group.join('.')}/${plural}`];
}

let stand: StandIns;
beforeEach(() => {
  stand = standIns(['kubectl']);
  stand.record('get-pod', { out: pods.running });
  stand.record('get-node', { out: pods.node });
  stand.record('get-nodes', { out: pods.nodes });
  stand.record('get-events', { out: pods.events });
  stand.record('get-pods', { out: pods.job });
  stand.record('get-rayjobs', { out: 'train-raycluster-abcde' });
  stand.record('logs', { out: '' });
});
afterEach(() => {
  stand.remove();
});

describe('the roles of the page', () => {
  const usual = ['ClusterRole culprit-check', 'Role culprit-check'];
  it.each<readonly [string, TargetFlags, readonly string[]]>([
    ['a pod', { pod: ['ml/train-0'] }, usual],
    ['a node', { node: ['gpu-1'] }, usual],
    ['a job', { job: ['ml/train', 'rayjob/ml/train'] }, usual],
    [
      'a node with --debug',
      { node: ['gpu-1'], debug: true, namespace: 'culprit' },
      [...usual, 'Role culprit-check-debug'],
    ],
  ])('are enough for %s', async (_, flags, names) => {
    if (flags.debug === true) stand.put('debug-pods', pods.debug('MARK'));
    await probeAll(await transportsOf(flags), 'exit 0', [], { limitMs: 5000 });
    const roles = allowed();
    const rights = new Set(names.flatMap((name) => [...roles.get(name)!]));
    const asked = new Set(stand.calls('kubectl').flatMap(needed));
    expect(asked.size).toBeGreaterThan(2);
    expect([...asked].filter((right) => !rights.has(right))).toEqual([]);
  });

  it('allow nothing that is never asked for', async () => {
    stand.put('debug-pods', pods.debug('MARK'));
    const asked = new Set<string>();
    for (const pod of [pods.running, pods.pending]) {
      stand.record('get-pod', { out: pod });
      await probeAll(
        await transportsOf({ pod: ['ml/train-0'], node: ['gpu-1'], debug: true, job: ['ml/train', 'rayjob/ml/train'] }),
        'exit 0',
        [],
        { limitMs: 5000 },
      );
    }
    for (const right of stand.calls('kubectl').flatMap(needed)) asked.add(right);
    const unused = [...allowed().values()].flatMap((rights) => [...rights]).filter((right) => !asked.has(right));
    // One rule holds both verbs of pods, nodes and events.
    expect(unused.filter((right) => right !== 'get /events')).toEqual([]);
  });

  it('change nothing but the pod of --debug', () => {
    for (const [name, rights] of allowed()) {
      const changing = [...rights].filter((right) => !/^(?:get|list|watch) /.test(right));
      expect(changing.sort()).toEqual(
        name === 'Role culprit-check-debug'
          ? ['create /pods', 'create /pods/attach', 'delete /pods']
          : name === 'Role culprit-check'
            ? ['create /pods/exec']
            : [],
      );
    }
  });
});
