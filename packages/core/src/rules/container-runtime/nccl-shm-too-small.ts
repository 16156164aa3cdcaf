import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';

export const ncclShmTooSmall: Rule = defineRule({
  id: 'container-runtime/nccl-shm-too-small',
  summary: '/dev/shm of the container is too small',
  needs: [],
  anyOf: ['said.nccl-shm-extend-failed', 'said.bus-error-shm', 'said.k8s-shm-emptydir'],
  uses: ['os.shm-mib'],
  citations: ['nccl-troubleshooting', 'nccl-env'],
  explains: ['said.nccl-*', 'said.pt-*', 'said.no-space-left', 'application/application-exception'],
  check(facts, context) {
    const shared = facts['said.nccl-shm-extend-failed'];
    const bus = facts['said.bus-error-shm'] ?? facts['said.k8s-shm-emptydir'];
    const size = facts['os.shm-mib'];
    const seen = [
      ...(shared?.seen.slice(0, 3) ?? []),
      ...(bus?.seen.slice(0, 2) ?? []),
      ...(size?.seen.slice(0, 1) ?? []),
    ];
    const remedies = [
      {
        actor: 'developer',
        do: 'give the container more shared memory, or that of the host',
        command: 'docker run --shm-size=16g … (or --ipc=host)',
      },
      { actor: 'cluster-admin', do: 'in Kubernetes mount an emptyDir of medium Memory at /dev/shm' },
    ] as const;
    if (size !== undefined && size.value >= 8192) {
      return { kind: 'cleared', because: `/dev/shm has ${Math.round(size.value / 1024)} GiB`, seen: size.seen };
    }
    const full =
      seen.some((each) =>
        /no space left|errno 28|\(28\)|insufficient shared memory|out of shared memory|shm-size/i.test(each.text),
      ) || context.first('said.no-space-left') !== undefined;
    const small = size !== undefined && size.value <= 1024;
    const creates = shared !== undefined && !/attaching/i.test(shared.value.captures['op'] ?? '');
    return {
      kind: 'fault',
      certainty:
        (full && creates) || (small && (creates || full))
          ? 'proved'
          : full || creates
            ? 'likely'
            : small
              ? 'likely'
              : 'possible',
      message:
        size === undefined
          ? 'shared memory could not be had in /dev/shm'
          : `/dev/shm has ${size.value} MiB, too few for the shared memory that is asked for`,
      seen,
      remedies,
      ...(size === undefined && !(full && creates) ? { missing: [{ fact: 'os.shm-mib', ask: 'df -h /dev/shm' }] } : {}),
      weight: 2,
    };
  },
});
