// The second evaluator of NVIDIA_REQUIRE_*: that of the runtime itself (Go, `internal/requirements` of the NVIDIA
// Container Toolkit), which CSV mode runs. It knows cuda and arch, and is stricter about words it cannot read.
import { comparePadded, parseDotted } from '../versions/numeric.ts';
import type { Requirement, RequirementHost } from './requirement.ts';

const properties = new Set(['cuda', 'driver', 'arch', 'brand']);
const operators = ['!=', '<=', '>=', '=', '<', '>'] as const;

/** A term as the Go evaluator takes it. `skipped`: a property that it does not know. */
export type GoTruth = boolean | null | 'skipped' | 'refused';

/** Truth of one term. Names of properties are lower case; a word without operator or a bad version refuses all. */
export function goTerm(text: string, host: RequirementHost): GoTruth {
  if (text.trim() === '') return 'skipped';
  const at = text.search(/[<>=!]/);
  if (at < 0) return 'refused';
  const property = text.slice(0, at);
  if (!properties.has(property)) return 'skipped';
  const operator = operators.find((each) => text.startsWith(each, at));
  const value = text.slice(at + (operator?.length ?? 0));
  // The runtime never fills in the brand: it compares with the empty word.
  if (property === 'brand') return operator === undefined ? 'refused' : ofOrder(value === '' ? 0 : -1, operator);
  const wanted = parseDotted(value, 3);
  if (wanted === null || operator === undefined) return 'refused';
  if (property === 'driver') return false;
  const known = property === 'cuda' ? host.cuda : host.arch;
  const have = known === null ? null : parseDotted(known, 3);
  return have === null ? null : ofOrder(comparePadded(have, wanted), operator);
}

/** Truth of a requirement: one alternative of which every known term holds. */
export function goHolds(requirement: Requirement, host: RequirementHost): boolean | null {
  const alternatives = requirement.text.split(' ').map((piece) => piece.split(',').map((term) => goTerm(term, host)));
  if (alternatives.some((terms) => terms.includes('refused'))) return false;
  const counted = alternatives
    .map((terms) => terms.filter((term) => term !== 'skipped'))
    .filter((terms) => terms.length > 0);
  if (counted.length === 0) return true;
  let open = false;
  for (const terms of counted) {
    if (terms.includes(false)) continue;
    if (!terms.includes(null)) return true;
    open = true;
  }
  return open ? null : false;
}

function ofOrder(order: number, operator: (typeof operators)[number]): boolean {
  switch (operator) {
    case '=':
      return order === 0;
    case '!=':
      return order !== 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
  }
}
