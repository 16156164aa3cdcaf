// The last link of the walk: what became of the pod's own containers.
import type { ApiObject } from './cluster.ts';
import type { Made } from './link.ts';
import { seenAt } from './cluster.ts';
import { made } from './link.ts';
import { at, listAt, numberAt, textAt } from '../parse/tree.ts';

/** The pod's own containers, once everything below them holds. */
export function containerLink(pod: ApiObject, warnings: readonly ApiObject[]): Made {
  const statuses = ['initContainerStatuses', 'containerStatuses'].flatMap((kind) =>
    listAt(pod.tree, 'status', kind).map((status) => ({ status, first: kind.startsWith('init') })),
  );
  for (const { status, first } of statuses) {
    const name = `${first ? 'the init container ' : ''}${textAt(status, 'name') ?? 'the container'}`;
    if (at(status, 'state', 'running') !== undefined) continue;
    const waiting = at(status, 'state', 'waiting');
    const reason = textAt(waiting, 'reason');
    const ended = at(status, 'state', 'terminated') ?? at(status, 'lastState', 'terminated');
    const exit = numberAt(ended, 'exitCode');
    if (exit !== null && exit !== 0)
      return made(
        'broken',
        `${name} started and ended with exit status ${exit}: what it printed says why`,
        seenAt(pod, at(ended, 'exitCode'), at(ended, 'reason'), at(ended, 'message'), at(waiting, 'reason')),
      );
    if (waiting === undefined) continue;
    if (reason !== null && !/^(?:ContainerCreating|PodInitializing)$/.test(reason))
      return made(
        'broken',
        `${name} does not start: ${reason}`,
        seenAt(pod, at(waiting, 'reason'), at(waiting, 'message')),
      );
    const event = warnings.at(-1);
    if (event !== undefined && reason === 'ContainerCreating')
      return made(
        'broken',
        `${name} is not made: ${textAt(event.tree, 'reason') ?? 'the node says why'}`,
        seenAt(event, at(event.tree, 'message')),
      );
  }
  const again = statuses.find(({ status }) => (numberAt(status, 'restartCount') ?? 0) > 0)?.status;
  if (again !== undefined)
    return made(
      'holds',
      `${textAt(again, 'name') ?? 'a container'} runs; it was started again ${textAt(again, 'restartCount') ?? ''} times`,
      seenAt(
        pod,
        at(again, 'restartCount'),
        at(again, 'lastState', 'terminated', 'reason'),
        at(again, 'lastState', 'terminated', 'exitCode'),
      ),
    );
  const phase = at(pod.tree, 'status', 'phase');
  return made('holds', `is ${phase?.text ?? 'in no known phase'}`, seenAt(pod, phase));
}
