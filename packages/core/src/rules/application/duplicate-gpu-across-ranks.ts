import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { captured, messagesOf, proofOf } from './_standing.ts';

export const duplicateGpuAcrossRanks: Rule = defineRule({
  id: 'application/duplicate-gpu-across-ranks',
  summary: 'Two ranks of a job use one GPU',
  needs: [],
  anyOf: ['said.nccl-duplicate-gpu'],
  uses: ['gpu.mig-device', 'nccl.version', 'gpu.count'],
  citations: ['nccl-source', 'pytorch-distributed'],
  explains: [
    'application/application-exception',
    'application/application-configuration',
    'application/distributed-init-misuse',
    'said.nccl-*',
    'said.pt-*',
  ],
  check(_, context) {
    const { standing, overcome } = messagesOf(context, ['nccl-duplicate-gpu']);
    if (standing.length === 0)
      return { kind: 'cleared', because: 'the ranks met and the program went on', seen: proofOf(overcome) };
    const mig = context.all('gpu.mig-device')[0];
    if (mig !== undefined)
      return {
        kind: 'cleared',
        because: 'the ranks share a GPU that is cut into MIG devices',
        seen: mig.seen.slice(0, 1),
      };
    const [a, b] = [captured(standing, 'a'), captured(standing, 'b')];
    const named = a !== undefined && b !== undefined;
    return {
      kind: 'fault',
      certainty: named ? 'proved' : 'possible',
      message: `two ranks use one GPU${named ? `: ranks ${a} and ${b}` : ''}`,
      seen: proofOf(standing),
      remedies: [
        {
          actor: 'developer',
          do: 'choose the device by local rank before NCCL starts',
          command: 'torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))',
        },
        {
          actor: 'developer',
          do: 'start no more ranks on a machine than it has GPUs',
          command: 'nvidia-smi -L; echo $CUDA_VISIBLE_DEVICES',
        },
      ],
      ...(named
        ? {}
        : {
            missing: [
              { fact: 'which ranks', ask: 'NCCL_DEBUG=WARN COMMAND 2>&1 | grep "Duplicate GPU"; nvidia-smi -L' },
            ],
          }),
      weight: 3,
    };
  },
});
