import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { captured, messagesOf, proofOf } from './_standing.ts';

export const diskQuota: Rule = defineRule({
  id: 'application/disk-quota',
  summary: 'The file system that the program writes to is full or over quota',
  needs: [],
  anyOf: ['said.disk-quota-exceeded', 'said.no-space-left'],
  uses: ['os.shm-mib', 'said.nccl-shm-extend-failed', 'said.bus-error-shm'],
  citations: ['errno-manual', 'python-exceptions'],
  explains: [
    'application/application-exception',
    'application/application-configuration',
    'application/checkpoint-corrupt',
    'application/data-corrupt',
    'application/hung-kernel-app-deadlock',
    'host-os/disk-full',
    'said.pt-*',
    'said.nccl-*',
    'said.no-space-left',
    'said.disk-quota-exceeded',
    'said.checkpoint-broken',
  ],
  check(facts, context) {
    const quota = messagesOf(context, ['disk-quota-exceeded']);
    const space = messagesOf(context, ['no-space-left']);
    const standing = [...quota.standing, ...space.standing];
    if (standing.length === 0)
      return {
        kind: 'cleared',
        because: 'the program went on after it',
        seen: proofOf([...quota.overcome, ...space.overcome]),
      };
    const memory = facts['said.nccl-shm-extend-failed'] ?? facts['said.bus-error-shm'];
    const shared = standing.find((fact) =>
      fact.seen.some((each) => /\bshm\b|\/dev\/shm|fallocate|shared memory/i.test(each.text)),
    );
    if (quota.standing.length === 0 && (memory !== undefined || shared !== undefined)) {
      return {
        kind: 'cleared',
        because: 'it is the shared memory of the container that is full',
        seen: (memory ?? shared)?.seen.slice(0, 1) ?? [],
      };
    }
    const file = captured(standing, 'file');
    const raised = context
      .all('program.exception')
      .some((fact) => /Errno (?:28|122)|No space|quota/i.test(fact.value.message));
    return {
      kind: 'fault',
      certainty: quota.standing.length > 0 || raised ? 'proved' : 'possible',
      message:
        quota.standing.length > 0
          ? `the quota of the file system is used up${file === undefined ? '' : `: ${file.slice(0, 120)} cannot be written`}`
          : 'the file system that the program writes to is full',
      seen: proofOf(standing),
      remedies: [
        {
          actor: 'developer',
          do: 'free space there, keep fewer checkpoints, or move caches elsewhere',
          command: 'df -h DIR; df -i DIR; quota -s; du -sh ~/.cache/*',
        },
        { actor: 'developer', do: 'a file that was cut off by it must be written again' },
      ],
      ...(quota.standing.length > 0 || raised
        ? {}
        : { missing: [{ fact: 'which file system', ask: 'df -h; df -h /dev/shm' }] }),
      weight: 2,
    };
  },
});
