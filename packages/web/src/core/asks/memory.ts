import { defaultKnowledge } from '@culprit/core/knowledge/knowledge';
import { memoryHierarchy } from '@culprit/core/occupancy/memory-levels';
import type { Answerer } from '../protocol.ts';

/** Memories of a GPU with sizes and rates, and the GPUs of which that is known. */
export const answer: Answerer<'memory'> = ({ gpu, variant }) => {
  const found = memoryHierarchy(gpu, variant, defaultKnowledge);
  const known = defaultKnowledge.gpuMemory.toReversed().map((row) => ({ gpu: row.gpu, variant: row.variant }));
  if ('problem' in found) return Promise.resolve({ known, found: null, problem: found.problem, sources: {} });
  const wanted = new Set(found.levels.flatMap(({ sources }) => sources));
  const sources = Object.fromEntries(
    defaultKnowledge.citations.flatMap(({ id, title, url }) => (wanted.has(id) ? [[id, { title, url }]] : [])),
  );
  return Promise.resolve({ known, found, problem: null, sources });
};
