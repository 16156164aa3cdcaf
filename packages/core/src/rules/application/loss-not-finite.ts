import type { Fact } from '../../model/facts.ts';
import type { Rule, RuleContext } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { captured, messagesOf, proofOf } from './_standing.ts';

const ids = ['values-not-finite', 'loss-scale-at-minimum', 'anomaly-in-backward'];
/** Xids of memory and of contained errors: numbers that come after them cannot be trusted. */
const hardware = new Set([48, 63, 64, 74, 79, 92, 94, 95, 140]);

export const lossNotFinite: Rule = defineRule({
  id: 'application/loss-not-finite',
  summary: 'The numbers of a training run become NaN or infinite',
  needs: [],
  anyOf: [
    'said.values-not-finite',
    'said.loss-scale-at-minimum',
    'said.anomaly-in-backward',
    'said.cuda-device-side-assert',
  ],
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
    const refused = valuesRefused(context);
    if (standing.length === 0 && refused === undefined && overcome.length === 0) return { kind: 'silent' };
    if (standing.length === 0 && refused === undefined)
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
    if (refused !== undefined) {
      return {
        kind: 'fault',
        certainty: 'proved',
        message: `a kernel found values it cannot use: ${refused.value.captures['expr']?.slice(0, 120)}`,
        seen: refused.seen.slice(0, 2),
        remedies,
        explains: ['said.*', 'application/device-side-assert-index'],
        weight: 2,
      };
    }
    const series = context.all('program.loss-series').find((fact) => fact.value.rising);
    if (series !== undefined) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: 'the loss rose steeply and then was no finite number any more: the training diverged',
        seen: [...series.seen.slice(0, 2), ...proofOf(standing).slice(0, 1)],
        remedies,
        missing: [
          {
            fact: 'whether a lower learning rate goes on',
            ask: 'repeat from the last good checkpoint with half the learning rate',
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

/** An assertion of a kernel about the values it got: NaN, infinity, probabilities below 0. */
function valuesRefused(context: RuleContext): Fact<'said.cuda-device-side-assert'> | undefined {
  return context
    .all('said.cuda-device-side-assert')
    .find(
      (fact) =>
        fact.scope !== 'after-fix' &&
        /\b(?:nan|inf|isfinite|isnan|probabilit|element < 0)/i.test(fact.value.captures['expr'] ?? ''),
    );
}
