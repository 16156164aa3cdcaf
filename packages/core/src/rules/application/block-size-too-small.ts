import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { atItsLimit, busiestOf, called, kernelsOf, numberOf } from './_metrics.ts';

export const blockSizeTooSmall: Rule = defineRule({
  id: 'application/block-size-too-small',
  summary: 'A kernel is launched with blocks that do not fill a warp, or too few of them to fill the GPU',
  needs: ['profile.metric'],
  uses: ['gpu.name'],
  citations: ['cuda-programming-guide', 'cuda-occupancy-api'],
  explains: ['application/block-limit-caps-occupancy'],
  check(_, context) {
    const kernels = kernelsOf(context);
    const small = kernels.find(
      (kernel) => (numberOf(kernel, 'block-size') ?? 32) < 32 || (numberOf(kernel, 'threads-per-warp-used') ?? 32) < 16,
    );
    const remedies = [
      {
        actor: 'developer',
        do: 'launch blocks of a multiple of 32 threads, 128 to 256 to begin with, and more of them',
      },
      {
        actor: 'developer',
        do: 'look at the occupancy and the waves again',
        command: 'ncu --section Occupancy --section LaunchStats ./app',
      },
    ] as const;
    if (small !== undefined) {
      const size = numberOf(small, 'block-size');
      const used = numberOf(small, 'threads-per-warp-used');
      return {
        kind: 'fault',
        message:
          size === undefined
            ? `${called(small)} uses ${used} of the 32 lanes of a warp`
            : `${called(small)} is launched with ${size} threads a block; a warp has 32`,
        seen: ['block-size', 'threads-per-warp-used'].flatMap((name) => small.facts.get(name)?.seen.slice(0, 1) ?? []),
        remedies,
        weight: 2,
      };
    }
    const few = kernels.find((kernel) => {
      const waves = numberOf(kernel, 'waves-per-sm');
      const grid = numberOf(kernel, 'grid-size');
      const sms = numberOf(kernel, 'sm-count');
      if (busiestOf(kernel) >= atItsLimit) return false;
      // A grid of fewer places than fit may still give every SM a block.
      return grid !== undefined && sms !== undefined ? grid < sms : waves !== undefined && waves < 0.5;
    });
    if (few !== undefined) {
      return {
        kind: 'fault',
        message: `${called(few)} has ${numberOf(few, 'grid-size') ?? 'too few'} blocks and leaves SMs idle`,
        seen: ['grid-size', 'waves-per-sm', 'sm-count'].flatMap((name) => few.facts.get(name)?.seen.slice(0, 1) ?? []),
        remedies,
        weight: 1,
      };
    }
    const measured = kernels.find((kernel) => numberOf(kernel, 'block-size') !== undefined);
    if (measured === undefined)
      return { kind: 'unknown', missing: [{ fact: 'the block size', ask: 'ncu --section LaunchStats ./app' }] };
    return {
      kind: 'cleared',
      because: `blocks of ${numberOf(measured, 'block-size')} threads fill their warps`,
      seen: measured.facts.get('block-size')!.seen.slice(0, 1),
    };
  },
});
