import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, capture, missing, own, said, seen } from '../container-runtime/_container.ts';

export const memlockLimitTooLow: Rule = defineRule({
  id: 'host-os/memlock-limit-too-low',
  summary: 'The limit of locked memory is too low for RDMA',
  needs: [],
  anyOf: ['said.memlock-limit-named', 'said.verbs-no-memory'],
  uses: ['os.memlock-kib', 'os.memlock-unlimited'],
  citations: ['nccl-troubleshooting', 'rdma-core'],
  explains: [
    'said.nccl-*',
    'said.ucx-error',
    'said.verbs-no-memory',
    'said.rdma-mr-failed',
    'said.pt-*',
    'said.nvshmem-init-failed',
    'nccl/*',
    'network/*',
    'driver/peermem-module-not-loaded',
    'application/application-exception',
    'application/pinned-registration-count-limit',
  ],
  check(_facts, context) {
    const named = said(context, 'memlock-limit-named')[0];
    const call = said(context, 'verbs-no-memory')[0];
    const lead = named ?? call;
    if (lead === undefined) return { kind: 'silent' };
    const notes = said(context, 'memlock-limit-named');
    const inKib = capture(notes, 'kib');
    const bytes = capture(notes, 'bytes', 'bytes2');
    const kib = inKib !== undefined ? Number(inKib) : bytes === undefined ? null : Math.floor(Number(bytes) / 1024);
    const limit = own(context, 'os.memlock-kib')[0];
    const unlimited = own(context, 'os.memlock-unlimited')[0];
    if (unlimited !== undefined && kib === null) {
      return { kind: 'cleared', because: 'the limit of locked memory is unlimited', seen: seen(unlimited) };
    }
    const size = kib ?? limit?.value ?? null;
    // A limit of many gigabytes is rarely what is hit.
    if (size !== null && size >= 64 * 1024 * 1024 && named === undefined) {
      return {
        kind: 'cleared',
        because: `the limit of locked memory is ${Math.floor(size / 1048576)} GiB`,
        seen: seen(limit),
      };
    }
    const failed =
      call !== undefined ||
      notes.some((fact) => /failed|Memlock limit|trying to allocate/.test(fact.seen[0]?.text ?? ''));
    return {
      kind: 'fault',
      certainty:
        size === null
          ? named === undefined
            ? 'possible'
            : 'likely'
          : failed
            ? byPrint(lead, kib === null ? limit : named)
            : 'possible',
      message:
        size === null
          ? 'the RDMA stack could not lock memory'
          : `RDMA cannot lock enough memory: the limit is ${size} KiB`,
      seen: seen(...notes.slice(0, 3), call, kib === null ? limit : undefined),
      remedies: [
        {
          actor: 'cluster-admin',
          do: 'set the limit to unlimited for the service that starts jobs, and restart it',
          command: 'systemctl edit slurmd  # [Service] LimitMEMLOCK=infinity',
        },
        {
          actor: 'cluster-admin',
          do: 'for containers: --ulimit memlock=-1; for containerd and Docker: LimitMEMLOCK=infinity in their units',
        },
        { actor: 'node-admin', do: 'for logins: memlock unlimited in /etc/security/limits.d' },
      ],
      ...(size === null
        ? { missing: [missing('os.memlock-kib', 'ulimit -l; grep "Max locked" /proc/PID/limits')] }
        : {}),
      weight: 3,
    };
  },
});
