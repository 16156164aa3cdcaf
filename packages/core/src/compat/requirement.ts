import { comparePadded, parseDotted } from '../versions/numeric.ts';
import { goHolds, goTerm } from './requirement-go.ts';

/** One condition of a requirement: `cuda>=12.4`, `brand=tesla`. */
export interface RequirementTerm {
  readonly text: string;
  readonly property: string;
  readonly operator: '=' | '!=' | '<' | '<=' | '>' | '>=';
  readonly value: string;
}

/** A variable `NVIDIA_REQUIRE_*`: alternatives of terms. A term that cannot be read is null. */
export interface Requirement {
  readonly name: string;
  readonly text: string;
  readonly alternatives: readonly { readonly text: string; readonly terms: readonly (RequirementTerm | null)[] }[];
}

/** What the check compares with. Null: not known. */
export interface RequirementHost {
  readonly cuda: string | null;
  readonly driver: string | null;
  /** The driver is known by its branch alone. */
  readonly driverIsBranch?: boolean;
  readonly arch: string | null;
  /** Brands that the GPU can have; empty: not known. */
  readonly brands: readonly string[];
}

/** A term with its truth, for display. */
export interface RequirementFinding {
  readonly term: string;
  readonly holds: boolean | null;
}

/** Outcome of one requirement. */
export interface RequirementResult {
  readonly name: string;
  readonly holds: boolean | null;
  /** What the error message quotes when it does not hold: the first alternative. */
  readonly quoted: string;
  /** The check stops at a term that it cannot read: `invalid expression`. */
  readonly invalid: boolean;
  readonly terms: readonly RequirementFinding[];
}

const operators: ReadonlyMap<string, RequirementTerm['operator']> = new Map([
  ['=', '='],
  ['!=', '!='],
  ['!', '!='],
  ['<', '<'],
  ['<=', '<='],
  ['>', '>'],
  ['>=', '>='],
]);
const properties = new Set(['cuda', 'driver', 'arch', 'brand']);

/**
 * Reads one requirement value: a space separates alternatives, a comma the terms of one that must all hold. Empty
 * pieces are skipped. Bounded: values beyond 16 KiB are cut.
 */
export function parseRequirement(name: string, value: string): Requirement {
  const text = value.slice(0, 16_384);
  const alternatives = text
    .split(' ')
    .filter((piece) => piece !== '')
    .map((piece) => ({
      text: piece,
      terms: piece
        .split(',')
        .filter((term) => term !== '')
        .map(parseTerm),
    }))
    .filter((alternative) => alternative.terms.length > 0);
  return { name, text, alternatives };
}

/**
 * A term as libnvidia-container's dsl.c takes it; null where it calls it an invalid expression: no operator, a run of
 * `<>=!` that is none (`==`, `=>`), no such property, a version with other signs than digits and dots, a brand that is
 * compared by order.
 */
function parseTerm(text: string): RequirementTerm | null {
  const start = text.search(/[<>=!]/);
  if (start < 1) return null;
  let end = start;
  while (end < text.length && '<>=!'.includes(text[end]!)) end += 1;
  const operator = operators.get(text.slice(start, end));
  const property = text.slice(0, start).toLowerCase();
  const value = text.slice(end);
  if (operator === undefined || !properties.has(property) || value === '') return null;
  if (property === 'brand' ? operator !== '=' && operator !== '!=' : !/^\d[\d.]*$/.test(value)) return null;
  return { text, property, operator, value };
}

/** The requirements of an image's environment: every `NVIDIA_REQUIRE_*` but JETPACK, and the implied one of legacy images. */
export function requirementsOf(env: Readonly<Record<string, string>>): readonly Requirement[] {
  const list: Requirement[] = [];
  for (const [name, value] of Object.entries(env)) {
    if (name.startsWith('NVIDIA_REQUIRE_') && !name.startsWith('NVIDIA_REQUIRE_JETPACK'))
      list.push(parseRequirement(name, value));
  }
  const cuda = env['CUDA_VERSION'];
  if (cuda !== undefined && env['NVIDIA_REQUIRE_CUDA'] === undefined) {
    const [major, minor] = cuda.split('.');
    if (major !== undefined && parseDotted(`${major}.${minor ?? '0'}`, 2) !== null) {
      list.push(parseRequirement('CUDA_VERSION', `cuda>=${major}.${minor ?? '0'}`));
    }
  }
  return list;
}

/** Does `NVIDIA_DISABLE_REQUIRE` switch the check off? Only the values that Go reads as true do. */
export function isDisabled(env: Readonly<Record<string, string>>): boolean {
  return ['1', 't', 'T', 'TRUE', 'true', 'True'].includes(env['NVIDIA_DISABLE_REQUIRE'] ?? '');
}

/**
 * Evaluates one requirement as libnvidia-container does: alternatives in order, the first that holds is enough; terms
 * in order, the first false one ends the alternative. `csv` mode asks the evaluator of the runtime instead.
 */
export function evaluateRequirement(requirement: Requirement, host: RequirementHost, csv = false): RequirementResult {
  const terms: RequirementFinding[] = [];
  if (csv) {
    const quotedFirst = requirement.alternatives[0]?.text ?? '';
    return { name: requirement.name, holds: goHolds(requirement, host), quoted: quotedFirst, invalid: false, terms };
  }
  const brands = host.brands.length > 0 ? host.brands : [null];
  const truths = brands.map((brand, index) => evaluateFor(requirement, host, brand, index === 0 ? terms : []));
  const first = truths[0] ?? null;
  const common = truths.every((truth) => truth === first) ? first : null;
  return {
    name: requirement.name,
    holds: truths.every((truth) => truth === false || truth === 'invalid') ? false : common === true ? true : null,
    quoted: requirement.alternatives[0]?.text ?? '',
    invalid: common === 'invalid',
    terms,
  };
}

/** A term of a requirement with its truth by both evaluators, whether or not they get to it. */
export interface RequirementTruth {
  readonly term: string;
  /** By libnvidia-container. */
  readonly holds: boolean | null;
  /** By the runtime itself (CSV mode): null also where it passes over the term. */
  readonly inCsv: boolean | null;
}

/** Every term of a requirement in its order, each once. */
export function requirementTruths(requirement: Requirement, host: RequirementHost): readonly RequirementTruth[] {
  const seen = new Map<string, RequirementTruth>();
  const brands = host.brands.length > 0 ? host.brands : [null];
  for (const piece of requirement.text.split(' ')) {
    for (const text of piece.split(',')) {
      if (text === '' || seen.has(text) || seen.size >= 1000) continue;
      const term = parseTerm(text);
      const truths = new Set(brands.map((brand) => (term === null ? false : evaluateTerm(term, host, brand))));
      const go = goTerm(text, host);
      seen.set(text, {
        term: text,
        holds: truths.size === 1 ? ([...truths][0] as boolean | null) : null,
        inCsv: go === 'refused' ? false : go === 'skipped' ? null : go,
      });
    }
  }
  return [...seen.values()];
}

function evaluateFor(
  requirement: Requirement,
  host: RequirementHost,
  brand: string | null,
  found: RequirementFinding[],
): boolean | 'invalid' | null {
  if (requirement.alternatives.length === 0) return true;
  let open = false;
  for (const alternative of requirement.alternatives) {
    let truth: boolean | null = true;
    for (const term of alternative.terms) {
      // A term that is broken refuses the start as soon as it is reached.
      if (term === null) {
        found.push({ term: alternative.text, holds: false });
        return open ? null : 'invalid';
      }
      const holds = evaluateTerm(term, host, brand);
      found.push({ term: term.text, holds });
      if (holds === false) {
        truth = false;
        break;
      }
      if (holds === null) truth = null;
    }
    if (truth === true) return true;
    if (truth === null) open = true;
  }
  return open ? null : false;
}

function evaluateTerm(term: RequirementTerm, host: RequirementHost, brand: string | null): boolean | null {
  switch (term.property) {
    case 'brand': {
      if (brand === null) return null;
      const equal = brand.toLowerCase() === term.value.toLowerCase();
      return term.operator === '=' ? equal : term.operator === '!=' ? !equal : false;
    }
    case 'driver':
      return compare(host.driver, term, host.driverIsBranch === true);
    case 'cuda':
      return compare(host.cuda, term, false);
    default:
      return compare(host.arch, term, false);
  }
}

function compare(have: string | null, term: RequirementTerm, branchOnly: boolean): boolean | null {
  const a = have === null ? null : parseDotted(have, 4);
  const b = parseDotted(term.value, 4);
  if (b === null) return false;
  if (a === null) return null;
  if (branchOnly && b.length > 1 && a[0] === b[0]) return null;
  const order = comparePadded(a, b);
  switch (term.operator) {
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
