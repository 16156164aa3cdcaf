import { defaultKnowledge } from '@culprit/core/knowledge/knowledge';
import { answerOf } from '@culprit/core/occupancy/answer';
import { curveKinds, curveOf, curvesSvg } from '@culprit/core/occupancy/curves';
import { plainKernel } from '@culprit/core/occupancy/evaluate';
import { placeOf } from '@culprit/core/occupancy/place';
import type { Answerer } from '../protocol.ts';

/** Occupancy, waves and tail of a launch, by the engine of `culprit occupancy`. */
export const answer: Answerer<'launch'> = ({ gpu, blockSize, registers, shared, blocks }) => {
  const place = placeOf(gpu, defaultKnowledge);
  if ('problem' in place)
    return Promise.resolve({ problem: `${place.problem}${place.hint === null ? '' : `: ${place.hint}`}` });
  const kernel = {
    ...plainKernel,
    blockSize,
    registersPerThread: registers,
    dynamicShared: shared,
    optIn: shared > 48 * 1024,
    maxDynamicShared: shared,
  };
  const occupancy = answerOf(
    { place, kernel, name: null, grid: blocks, clusterSize: null, spilled: null },
    defaultKnowledge,
  );
  if (occupancy === null) return Promise.resolve({ problem: 'a launch needs at least one thread in a block' });
  const curves = curveKinds.map((kind) => curveOf(kind, place.limits, kernel));
  return Promise.resolve({
    occupancy,
    warpSize: place.limits.warpSize,
    curves: curvesSvg(curves, 'Occupancy against each resource'),
  });
};
