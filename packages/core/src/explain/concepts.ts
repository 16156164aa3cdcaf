import type { ConceptRow } from './concepts.rows.ts';
import { generalConcepts } from './concepts.rows.ts';
import { hostConcepts } from './host-concepts.rows.ts';
import { metricConcepts } from './metric-concepts.rows.ts';
import { streamConcepts } from './stream-concepts.rows.ts';

/** Every concept, in alphabetical order of the ids. */
export const concepts: readonly ConceptRow[] = [
  ...generalConcepts,
  ...hostConcepts,
  ...metricConcepts,
  ...streamConcepts,
].sort((a, b) => (a.id < b.id ? -1 : 1));
