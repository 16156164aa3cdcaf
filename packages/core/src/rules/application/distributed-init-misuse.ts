import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { captured, messagesOf, proofOf } from './_standing.ts';

export const distributedInitMisuse: Rule = defineRule({
  id: 'application/distributed-init-misuse',
  summary: 'The ranks of a job were started with numbers that do not fit each other',
  needs: [],
  anyOf: ['said.process-group-misused', 'said.ompi-slots-short'],
  uses: ['nccl.version'],
  citations: ['pytorch-distributed', 'nccl-source'],
  explains: [
    'application/application-exception',
    'application/application-configuration',
    'said.nccl-*',
    'said.pt-*',
    'said.process-group-misused',
    'said.ompi-slots-short',
  ],
  check(_, context) {
    const slots = messagesOf(context, ['ompi-slots-short']).standing[0];
    if (slots !== undefined)
      return {
        kind: 'fault',
        certainty: slots.told ? 'likely' : 'proved',
        message: `mpirun is asked for ${slots.value.captures['wanted'] ?? slots.value.captures['wanted2'] ?? 'more'} processes, and the hosts have fewer slots`,
        seen: slots.seen.slice(0, 1),
        remedies: [
          {
            actor: 'developer',
            do: 'give each host its number of GPUs as slots, or start fewer processes',
            command: 'echo "HOST slots=8" >> HOSTFILE   # or: mpirun --host HOST:8,…',
          },
        ],
        weight: 1,
      };
    const { standing, overcome } = messagesOf(context, ['process-group-misused']);
    const lead = standing[0];
    if (lead === undefined)
      return { kind: 'cleared', because: 'the ranks met and the program went on', seen: proofOf(overcome) };
    const versions = context.all('nccl.version');
    if (new Set(versions.map((fact) => fact.value)).size > 1)
      return {
        kind: 'cleared',
        because: 'the ranks run different NCCL releases',
        seen: versions.flatMap((fact) => fact.seen.slice(0, 1)).slice(0, 2),
      };
    const earlier = context
      .all('program.exception')
      .find(
        (fact) => fact.order < lead.order && !/process group|rendezvous|world.?size|rank/i.test(fact.value.message),
      );
    if (earlier !== undefined)
      return {
        kind: 'cleared',
        because: 'something else failed before the ranks could meet',
        seen: earlier.seen.slice(0, 1),
      };
    const variable = captured(standing, 'variable');
    const counts = standing.some((fact) => /mismatch in rank count/.test(fact.seen[0]?.text ?? ''));
    const raised = counts || context.all('program.exception').length > 0;
    return {
      kind: 'fault',
      certainty: variable !== undefined ? 'proved' : raised ? 'likely' : 'possible',
      message:
        variable !== undefined
          ? `the ranks cannot meet: ${variable} is not set`
          : 'the ranks were started with numbers that do not fit each other',
      seen: proofOf(standing),
      remedies: [
        {
          actor: 'developer',
          do: 'start the program with its launcher, with the same world size everywhere',
          command: 'torchrun --nnodes=N --nproc-per-node=GPUS SCRIPT',
        },
      ],
      ...(variable !== undefined
        ? {}
        : { missing: [{ fact: 'the numbers of each process', ask: 'env | grep -E "RANK|WORLD_SIZE|MASTER_"' }] }),
      weight: 0,
    };
  },
});
