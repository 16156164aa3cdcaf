import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';

export const jobTimeLimit: Rule = defineRule({
  id: 'orchestrator/job-time-limit',
  summary: 'The job reached its time limit',
  needs: [],
  anyOf: ['said.slurm-time-limit', 'slurm.job'],
  citations: ['slurm-sinfo'],
  explains: ['said.*', 'application/*', 'hardware/*', 'nccl/*', 'network/*'],
  check(_facts, context) {
    const ended = said(context, 'slurm-time-limit').find((fact) => /TIME LIMIT/.test(fact.value.captures['why'] ?? ''));
    const job = own(context, 'slurm.job').find((fact) => /^TIMEOUT/.test(fact.value.state));
    const fine = own(context, 'slurm.job').find((fact) => /^COMPLETED/.test(fact.value.state));
    const lead = ended ?? job;
    if (lead === undefined)
      return fine === undefined
        ? { kind: 'silent' }
        : { kind: 'cleared', because: `job ${fine.value.id} ran to its end`, seen: seen(fine) };
    const before = context.said.find((fact) => {
      const row = context.knowledge.signatures.find((each) => each.id === fact.value.signature);
      return (
        fact.order < lead.order &&
        fact !== lead &&
        (row?.role === 'signature' || row?.role === 'carrier') &&
        (row.severity === 'critical' || row.severity === 'fatal' || row.severity === 'error')
      );
    });
    // Something failed or stood still before: the limit only ended it.
    if (
      before !== undefined ||
      own(context, 'program.hang').length > 0 ||
      own(context, 'program.exception').some((fact) => fact.order < lead.order)
    )
      return {
        kind: 'unknown',
        missing: [missing('works', 'tail -n 50 of the log before the limit: did the program still make progress?')],
      };
    return {
      kind: 'fault',
      certainty: byPrint(lead),
      message: 'the job reached its time limit, and Slurm ended it',
      seen: seen(lead),
      remedies: [
        {
          actor: 'developer',
          do: 'ask for more time, or save the state before the end and go on in a second job',
          command: 'sbatch --time=… --signal=B:USR1@300 --requeue …',
        },
        { actor: 'developer', do: 'see whether the work stood still before the limit' },
      ],
      weight: 4,
    };
  },
});
