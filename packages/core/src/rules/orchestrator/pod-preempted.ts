import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';

export const podPreempted: Rule = defineRule({
  id: 'orchestrator/pod-preempted',
  summary: 'The scheduler took the workload off for one of a higher priority',
  needs: [],
  anyOf: ['said.job-preempted', 'slurm.job'],
  citations: ['k8s-preemption', 'slurm-preempt'],
  explains: ['said.*', 'application/*', 'hardware/*', 'nccl/*', 'network/*', 'orchestrator/gpus-all-taken'],
  check(_facts, context) {
    const lead =
      said(context, 'job-preempted')[0] ??
      own(context, 'slurm.job').find((fact) => /^PREEMPTED/.test(fact.value.state));
    const went = own(context, 'works').find((fact) => lead !== undefined && fact.order > lead.order);
    if (lead === undefined) {
      const fine = own(context, 'slurm.job').find((fact) => /^COMPLETED/.test(fact.value.state));
      return fine === undefined
        ? { kind: 'silent' }
        : { kind: 'cleared', because: `job ${fine.value.id} ran to its end`, seen: seen(fine) };
    }
    // The work goes on elsewhere: all is as it should be.
    if (went !== undefined) return { kind: 'silent' };
    const before = own(context, 'program.exception').find((fact) => fact.order < lead.order);
    if (before !== undefined) return { kind: 'unknown', missing: [missing('works', 'the log before the preemption')] };
    return {
      kind: 'fault',
      certainty: byPrint(lead),
      message: 'the workload was preempted by one of a higher priority',
      seen: seen(lead),
      remedies: [
        {
          actor: 'developer',
          do: 'save the state often, and let the job be started again by itself',
          command: 'sbatch --requeue …   # or a Job with restartPolicy and checkpoints',
        },
        { actor: 'cluster-admin', do: 'give it a higher priority, where it must not be taken off' },
      ],
      weight: 8,
    };
  },
});
