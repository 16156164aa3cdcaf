import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { captured, messagesOf, proofOf } from './_standing.ts';

const ids = ['values-not-finite', 'loss-scale-at-minimum', 'anomaly-in-backward'];
/** Xids of memory and of contained errors: numbers that come after them cannot be trusted. */
const hardware = new Set([48, 63, 64, 74, 79, 92, 94, 95, 140]);

export const lossNotFinite: Rule = defineRule({
  id: 'application/loss-not-finite',
  summary: 'The numbers of a training run become NaN or infinite',
  needs: [],
  anyOf: ['said.values-not-finite', 'said.loss-scale-at-minimum', 'said.anomaly-in-backward'],
  uses: ['gpu.xid', 'gpu.row-remap', 'program.exception'],
  citations: ['pytorch-amp', 'xid-catalogue'],
  explains: [
    'application/application-exception',
    'said.pt-*',
    'said.nccl-*',
    'said.values-not-finite',
    'application/hung-kernel-app-deadlock',
  ],
  check(_, context) {
    const { standing, overcome } = messagesOf(context, ids);
    const lead = standing[0];
    if (lead === undefined)
      return { kind: 'cleared', because: 'the training went on with finite numbers', seen: proofOf(overcome) };
    const xid = context.all('gpu.xid').find((fact) => hardware.has(fact.value.xid));
    if (xid !== undefined)
      return {
        kind: 'cleared',
        because: `Xid ${xid.value.xid} beside it: the memory of the GPU is in doubt, not the training`,
        seen: xid.seen.slice(0, 1),
      };
    const remedies = [
      {
        actor: 'developer',
        do: 'find the first step and tensor that is not finite',
        command: 'torch.autograd.set_detect_anomaly(True)',
      },
      {
        actor: 'developer',
        do: 'bfloat16 or float32 instead of float16, a lower learning rate with warm-up, gradient clipping, a look at that batch',
      },
      {
        actor: 'node-admin',
        do: 'if the same step from the same checkpoint is finite on another GPU, test this one',
        command: 'dcgmi diag -r 3 -i INDEX',
      },
    ] as const;
    const named = captured(standing, 'function');
    const scale = standing.find((fact) => fact.value.signature === 'loss-scale-at-minimum');
    if (scale !== undefined || named !== undefined) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message:
          scale === undefined
            ? `${named} gives a gradient that is not a number`
            : 'float16 overflows at every step: the loss scale has reached its least value',
        seen: proofOf(standing),
        remedies,
        missing: [
          {
            fact: 'whether another GPU gives the same',
            ask: 'run that step from that checkpoint on another GPU, and in float32',
          },
        ],
        weight: 1,
      };
    }
    const checked = context
      .all('program.exception')
      .find((fact) => /\b(?:nan|inf|not finite|non-finite|isfinite)\b/i.test(fact.value.message));
    return {
      kind: 'fault',
      // A program that checks its numbers and stops is the program's own end; where they come from stays open.
      certainty: checked === undefined ? 'possible' : 'likely',
      message:
        checked === undefined
          ? 'the loss is not a finite number any more'
          : 'the program stopped itself: its numbers are not finite any more',
      seen: proofOf(standing),
      remedies,
      missing: [
        {
          fact: 'whether the same step gives it again, on this GPU and on another',
          ask: 'repeat the step from the checkpoint on another GPU and in float32; dmesg -T | grep -E "NVRM: Xid"',
        },
      ],
      weight: 0,
    };
  },
});
