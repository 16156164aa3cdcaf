import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import type { Fact, FactValues } from '../../model/facts.ts';
import type { RuleContext } from '../../model/rule.ts';
import { byPrint, capture, missing, own, said, seen } from '../container-runtime/_container.ts';

type Memlock = FactValues['os.memlock'];
type Limit = Fact<'os.memlock'>;

export const memlockLimitTooLow: Rule = defineRule({
  id: 'host-os/memlock-limit-too-low',
  summary: 'The limit of locked memory is too low for RDMA',
  needs: [],
  anyOf: ['said.memlock-limit-named', 'said.verbs-no-memory'],
  uses: ['os.memlock-kib', 'os.memlock-unlimited', 'os.memlock', 'slurm.propagates'],
  citations: ['nccl-troubleshooting', 'rdma-core', 'systemd-exec-limits', 'slurm-conf-limits'],
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
    const inForce = limitInForce(context);
    const limit = inForce.low ?? own(context, 'os.memlock-kib')[0];
    const unlimited = inForce.unlimited ?? own(context, 'os.memlock-unlimited')[0];
    if (unlimited !== undefined && kib === null && inForce.low === undefined) {
      return { kind: 'cleared', because: 'the limit of locked memory is unlimited', seen: seen(unlimited) };
    }
    const size = kib ?? (limit === undefined ? null : limit.id === 'os.memlock' ? limit.value.softKiB : limit.value);
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
            ? kib === null && !inForce.certain
              ? 'likely'
              : byPrint(lead, kib === null ? limit : named)
            : 'possible',
      message:
        size === null
          ? 'the RDMA stack could not lock memory'
          : `RDMA cannot lock enough memory: the limit${kib === null && inForce.low !== undefined ? whoseText(inForce.low.value, context) : ''} is ${size} KiB`,
      seen: seen(
        ...notes.slice(0, 3),
        call,
        kib === null ? limit : undefined,
        kib === null ? inForce.propagates : undefined,
      ),
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
      ...(size !== null && kib === null && failed && !inForce.certain
        ? { missing: [missing('the limit of the process that failed', 'grep "Max locked" /proc/PID/limits')] }
        : {}),
      ...(size === null
        ? { missing: [missing('os.memlock-kib', 'ulimit -l; grep "Max locked" /proc/PID/limits')] }
        : {}),
      weight: 3,
    };
  },
});

/** Whose limit says most about the process that failed: its own, its container's or job's, then what starts it. */
const order: readonly Memlock['of'][] = ['process', 'container', 'slurm', 'shell', 'unit', 'engine', 'limits-file'];

/**
 * The limit that the failed process had, as far as the text shows. A login shell without a limit says nothing about a
 * process that a service starts: where the unit of that service has a limit, it counts, though not as certain.
 */
function limitInForce(context: RuleContext): {
  readonly low: Limit | undefined;
  readonly unlimited: Limit | undefined;
  readonly certain: boolean;
  readonly propagates: Fact<'slurm.propagates'> | undefined;
} {
  const limits = [...own(context, 'os.memlock')].sort((a, b) => order.indexOf(a.value.of) - order.indexOf(b.value.of));
  const propagates = own(context, 'slurm.propagates').find((fact) => hands(fact.value));
  const nearest = limits[0];
  const low = limits.find((fact) => fact.value.softKiB !== null);
  const unlimited = limits.find((fact) => fact.value.softKiB === null);
  if (nearest === undefined) return { low: undefined, unlimited: undefined, certain: false, propagates: undefined };
  // What is said of the process, its container or its job decides; a shell may be another one than the job's.
  const near = limits.filter((fact) => ['process', 'container', 'slurm'].includes(fact.value.of));
  if (near.length > 0) {
    const first = near.find((fact) => fact.value.softKiB !== null);
    return {
      low: first,
      unlimited: first === undefined ? near[0] : undefined,
      certain: first !== undefined,
      propagates: undefined,
    };
  }
  const service = limits.find((fact) => ['unit', 'engine'].includes(fact.value.of) && fact.value.softKiB !== null);
  if (nearest.value.of === 'shell' && nearest.value.softKiB !== null)
    return { low: nearest, unlimited: undefined, certain: true, propagates };
  return { low: service ?? (unlimited === undefined ? low : undefined), unlimited, certain: false, propagates };
}

/** Slurm gives the job the limit of the shell that submitted it, unless it is told to leave this one out. */
function hands(value: FactValues['slurm.propagates']): boolean {
  return value.limits.some((name) => name === 'ALL' || name === 'MEMLOCK') && !value.except.includes('MEMLOCK');
}

function whoseText(value: Memlock, context: RuleContext): string {
  switch (value.of) {
    case 'process':
      return value.name === null ? ' of the process' : ` of process ${value.name}`;
    case 'container':
      return ' of the container';
    case 'slurm':
      return ' of the job';
    case 'unit':
      return value.name === null ? ' of the service' : ` of ${value.name}`;
    case 'engine':
      return ' that the container engine sets';
    case 'limits-file':
      return ' in limits.conf';
    case 'shell':
      return own(context, 'slurm.propagates').some((fact) => hands(fact.value))
        ? ' of the shell, which Slurm hands on to the job,'
        : '';
  }
}
