import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { captured, messagesOf, proofOf } from './_standing.ts';

export const distributedInitMisuse: Rule = defineRule({
  id: 'application/distributed-init-misuse',
  summary: 'The ranks of a job were started with numbers, devices or a port that do not fit',
  needs: [],
  anyOf: ['said.nccl-duplicate-gpu', 'said.process-group-misused', 'said.pt-address-in-use'],
  uses: ['gpu.mig-device', 'said.nccl-version-mismatch-ranks', 'nccl.version'],
  citations: ['pytorch-distributed', 'nccl-source'],
  explains: [
    'application/application-exception',
    'application/application-configuration',
    'said.nccl-*',
    'said.pt-*',
    'said.process-group-misused',
  ],
  check(_, context) {
    const ids = ['nccl-duplicate-gpu', 'process-group-misused', 'pt-address-in-use'];
    const { standing, overcome } = messagesOf(context, ids);
    const lead = standing[0];
    if (lead === undefined)
      return { kind: 'cleared', because: 'the ranks met and the program went on', seen: proofOf(overcome) };
    const duplicate = standing.find((fact) => fact.value.signature === 'nccl-duplicate-gpu');
    const mig = context.all('gpu.mig-device')[0];
    if (duplicate !== undefined && mig !== undefined)
      return {
        kind: 'cleared',
        because: 'the ranks share a GPU that is cut into MIG devices',
        seen: mig.seen.slice(0, 1),
      };
    const releases = new Set(context.all('nccl.version').map((fact) => fact.value));
    if (releases.size > 1)
      return {
        kind: 'cleared',
        because: 'the ranks run different NCCL releases',
        seen: context
          .all('nccl.version')
          .flatMap((fact) => fact.seen.slice(0, 1))
          .slice(0, 2),
      };
    const earlier = context
      .all('program.exception')
      .find(
        (fact) =>
          fact.order < lead.order && !/process group|rendezvous|EADDRINUSE|Address already/i.test(fact.value.message),
      );
    if (earlier !== undefined && duplicate === undefined)
      return {
        kind: 'cleared',
        because: 'something else failed before the ranks could meet',
        seen: earlier.seen.slice(0, 1),
      };
    const port = standing.find((fact) => fact.value.signature === 'pt-address-in-use');
    const variable = captured(standing, 'variable');
    const [a, b] = [captured(standing, 'a'), captured(standing, 'b')];
    const counts = standing.find((fact) => /mismatch in rank count/.test(fact.seen[0]?.text ?? ''));
    const raised = context.all('program.exception').length > 0 || duplicate !== undefined || counts !== undefined;
    return {
      kind: 'fault',
      certainty: duplicate !== undefined || variable !== undefined ? 'proved' : raised ? 'likely' : 'possible',
      message:
        duplicate !== undefined
          ? `two ranks use one GPU${a === undefined || b === undefined ? '' : `: ranks ${a} and ${b}`}`
          : port !== undefined
            ? 'the port for the meeting of the ranks is taken'
            : variable !== undefined
              ? `the ranks cannot meet: ${variable} is not set`
              : 'the ranks were started with numbers that do not fit each other',
      seen: proofOf(standing),
      remedies: [
        duplicate !== undefined
          ? {
              actor: 'developer',
              do: 'choose the device by local rank before NCCL starts, and start no more ranks than GPUs',
              command: 'torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))',
            }
          : port !== undefined
            ? {
                actor: 'developer',
                do: 'end what holds the port, or take another one',
                command: 'ss -ltnp | grep PORT; torchrun --rdzv-endpoint=localhost:0',
              }
            : {
                actor: 'developer',
                do: 'start the program with its launcher, with the same world size everywhere',
                command: 'torchrun --nnodes=N --nproc-per-node=GPUS SCRIPT',
              },
      ],
      ...(duplicate !== undefined || variable !== undefined
        ? {}
        : {
            missing: [
              { fact: 'the numbers of each process', ask: 'env | grep -E "RANK|WORLD_SIZE|MASTER_"; ss -ltnp' },
            ],
          }),
      weight: duplicate !== undefined ? 3 : 0,
    };
  },
});
