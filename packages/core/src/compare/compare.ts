import type { Status } from '../model/layer.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import { defaultKnowledge } from '../knowledge/knowledge.ts';
import { corruptionOf, gapsOf } from './bandwidth.ts';
import { causesOf, ruleFinder } from './causes.ts';
import type { Column } from './columns.ts';
import { columnsOf } from './columns.ts';
import type { Diff, Equal, Group, Outlier } from './diff.ts';
import type { Platform } from './expected-bandwidth.ts';
import { expectationsOf, unknownPlatform } from './expected-bandwidth.ts';
import { headlineOf } from './headline.ts';
import { bluntnessOf, wordsOf } from './feature-words.ts';
import { withChanges } from './history.ts';
import { firstLines } from './line-classes.ts';
import { outliersOf } from './outliers.ts';
import type { Surroundings } from './ranking.ts';
import { separate } from './separate.ts';
import { layerOf, leadOf } from './shapes.ts';
import type { Subject } from './subject.ts';

const mostEqual = 200;
const mostOneSided = 60;
const mostExpectations = 400;

export interface CompareOptions {
  /** Names of the groups where their subjects share one, such as a folder. */
  readonly labels?: readonly [first: string | null, second: string | null];
  /** What the benchmark ran on, where the facts do not tell it. */
  readonly platform?: Platform | null;
  /** The groups were made of the subjects' own verdicts. */
  readonly byVerdict?: boolean;
  /** The groups were made of who differs from all others. */
  readonly outliers?: readonly Outlier[];
}

/**
 * Finds the smallest set of facts that tells two groups of subjects apart, and holds results of nccl-tests against what
 * the platform should reach. With an empty second group only the latter is done. The order of subjects within a group
 * makes no difference.
 */
export function compare(
  givenFirst: readonly Subject[],
  givenSecond: readonly Subject[],
  knowledge: Knowledge = defaultKnowledge,
  options: CompareOptions = {},
): Diff {
  const first = sorted(givenFirst);
  const second = sorted(givenSecond);
  const subjects = [...first, ...second];
  const labels = labelsOf(first, second, options);
  const groups =
    second.length === 0 ? [groupOf(first, labels[0])] : [groupOf(first, labels[0]), groupOf(second, labels[1])];
  const corruption = corruptionOf(subjects, first.length);
  const expectations = subjects
    .flatMap((subject) => expectationsOf(subject, knowledge.ncclBandwidth, options.platform ?? null))
    .slice(0, mostExpectations);
  const shared = {
    groups,
    byVerdict: options.byVerdict ?? false,
    outliers: options.outliers ?? [],
    corruption,
    expectations,
    knowledge: { asOf: knowledge.asOf, digest: knowledge.digest },
  };
  if (second.length === 0) {
    const told = { ...shared, ...nothing };
    const wrong = corruption.length > 0 || expectations.some((each) => each.below);
    const answer = wrong ? 'separated' : expectations.length > 0 ? 'no-difference' : 'cannot-tell';
    const diff = diffOf(told, answer);
    if (answer !== 'cannot-tell' || first.length !== 1) return diff;
    const known = first[0]!.bandwidth.every((row) => row.value.collective === null)
      ? null
      : unknownPlatform(first[0]!, knowledge.ncclBandwidth);
    return known === null ? diff : { ...diff, headline: unknownWords(known) };
  }
  const columns = columnsOf(subjects);
  const causes = causesOf(first, second);
  const plain = surroundingsOf(subjects, first.length, knowledge);
  const own = new Set(causes.flatMap((each) => (each.separates ? [each.rule] : [])));
  // A finding that all have alike rests on nothing that only some have.
  const ruleOf: Surroundings['ruleOf'] = (candidate, group) => {
    const rule = plain.ruleOf(candidate, group);
    return rule !== null && own.has(rule) ? rule : null;
  };
  const around = (options.outliers ?? []).length > 0 ? { ...plain, ruleOf } : plain;
  const separation = separate(columns, around);
  const told = {
    ...shared,
    causes,
    separators: separation.separators.map((each) => withChanges(each, first, second)),
    nearest: separation.nearest.map((each) => withChanges(each, first, second)),
    lines: firstLines(first, second),
    bandwidth: gapsOf(first, second),
    equal: equalOf(columns, around),
    oneSided: oneSidedOf(columns, first.length),
    compared: { facts: separation.facts, varying: separation.varying },
  };
  return diffOf(told, answerOf(told));
}

/**
 * Compares subjects that nothing divides into groups: the few that differ from all others make the first group. Where nobody
 * stands out there is one group, and the answer is whether anything varies at all.
 */
export function compareAlike(
  given: readonly Subject[],
  knowledge: Knowledge = defaultKnowledge,
  options: Pick<CompareOptions, 'platform'> = {},
): Diff {
  const subjects = sorted(given);
  const { found, facts, varying } = outliersOf(
    columnsOf(subjects),
    surroundingsOf(subjects, subjects.length, knowledge),
  );
  const [lead] = found;
  const outliers = found.map(({ subjects: names, statements }) => ({ subjects: names, statements }));
  if (lead !== undefined) {
    const odd = new Set(lead.who);
    const rest = subjects.filter((_, at) => !odd.has(at));
    return compare(
      subjects.filter((_, at) => odd.has(at)),
      rest,
      knowledge,
      { ...options, outliers, labels: [namesOf(lead.subjects), `the ${rest.length} others`] },
    );
  }
  const corruption = corruptionOf(subjects, subjects.length);
  const expectations = subjects
    .flatMap((subject) => expectationsOf(subject, knowledge.ncclBandwidth, options.platform ?? null))
    .slice(0, mostExpectations);
  const told = {
    ...nothing,
    groups: [groupOf(subjects, `all ${subjects.length}`)],
    byVerdict: false,
    outliers,
    corruption,
    expectations,
    compared: { facts, varying },
    knowledge: { asOf: knowledge.asOf, digest: knowledge.digest },
  };
  const wrong = corruption.length > 0 || expectations.some((each) => each.below);
  return diffOf(told, wrong ? 'separated' : facts === 0 || varying > 0 ? 'cannot-tell' : 'no-difference');
}

function unknownWords({ words, names }: NonNullable<ReturnType<typeof unknownPlatform>>): string {
  const named = names.length === 0 ? '' : `; if it is one of these, say so: --platform ${names.join(', --platform ')}`;
  return `cannot tell: the table expects nothing of ${words} with these sizes and this test${named}`;
}

/** `rank 11`, `rank 3 and rank 7`, `5 of them`. */
function namesOf(names: readonly string[]): string {
  if (names.length > 4) return `${names.slice(0, 3).join(', ')} and ${names.length - 3} more`;
  return names.length === 1 ? names[0]! : `${names.slice(0, -1).join(', ')} and ${names[names.length - 1]!}`;
}

function surroundingsOf(subjects: readonly Subject[], first: number, knowledge: Knowledge): Surroundings {
  const signatures = new Map(knowledge.signatures.map((row) => [row.id, row]));
  return {
    first,
    names: subjects.map((subject) => subject.name),
    layerOf: (feature) => layerOf(feature, signatures),
    wordsOf: (feature) => wordsOf(feature, signatures),
    bluntnessOf: (feature) => bluntnessOf(feature, signatures),
    ruleOf: ruleFinder(subjects),
  };
}

const nothing = {
  causes: [],
  separators: [],
  nearest: [],
  lines: [],
  bandwidth: [],
  equal: [],
  oneSided: [],
  compared: { facts: 0, varying: 0 },
} as const;

type Told = Omit<Diff, 'schema' | 'answer' | 'headline'>;

function diffOf(told: Told, answer: Diff['answer']): Diff {
  return {
    schema: 'culprit/diff@1',
    answer,
    headline: headlineOf(told, answer),
    groups: told.groups,
    byVerdict: told.byVerdict,
    outliers: told.outliers,
    corruption: told.corruption,
    causes: told.causes,
    separators: told.separators,
    nearest: told.nearest,
    lines: told.lines,
    bandwidth: told.bandwidth,
    expectations: told.expectations,
    equal: told.equal,
    oneSided: told.oneSided,
    compared: told.compared,
    knowledge: told.knowledge,
  };
}

function answerOf(told: Told): Diff['answer'] {
  const apart =
    told.corruption.length > 0 ||
    told.separators.length > 0 ||
    told.causes.some((each) => each.separates) ||
    told.bandwidth.some((gap) => gap.apart) ||
    told.expectations.some((each) => each.below) ||
    told.lines.length > 0;
  if (apart) return 'separated';
  if (told.nearest.length > 0) return 'cannot-tell';
  return told.compared.facts === 0 && told.bandwidth.length === 0 ? 'cannot-tell' : 'no-difference';
}

function sorted(subjects: readonly Subject[]): readonly Subject[] {
  return [...subjects].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

const wrongStatuses: ReadonlySet<Status> = new Set(['fault', 'performance', 'not-stack-fault']);

/** Names of the groups: what they are called, else what their subjects' verdicts make them. */
function labelsOf(
  first: readonly Subject[],
  second: readonly Subject[],
  options: CompareOptions,
): readonly [string, string] {
  const given = options.labels ?? [null, null];
  const own = (group: readonly Subject[], at: 0 | 1): string | null =>
    given[at] ?? (group.length === 1 ? group[0]!.name : null);
  const rate = (group: readonly Subject[]): number =>
    group.filter((subject) => wrongStatuses.has(subject.verdict.status)).length / Math.max(1, group.length);
  const [a, b] = [rate(first), rate(second)];
  const words = a > b ? ['failing', 'passing'] : b > a ? ['passing', 'failing'] : ['first', 'second'];
  const labels = [own(first, 0) ?? words[0]!, own(second, 1) ?? words[1]!] as const;
  return labels[0] === labels[1] ? [`${labels[0]} (first)`, `${labels[1]} (second)`] : labels;
}

function groupOf(subjects: readonly Subject[], label: string): Group {
  const statuses: Partial<Record<Status, number>> = {};
  for (const { verdict } of subjects) statuses[verdict.status] = (statuses[verdict.status] ?? 0) + 1;
  return { label, subjects: subjects.map((subject) => subject.name), statuses };
}

/** What every subject shows alike, where it was read in both groups. */
function equalOf(columns: readonly Column[], around: Surroundings): readonly Equal[] {
  const equal: Equal[] = [];
  const order = (column: Column): number => leadOf(column.id) + (column.tier === 'set' ? 0 : 1000);
  for (const column of [...columns].sort((a, b) => order(a) - order(b))) {
    if (column.tier === 'loose' || column.tier === 'symptom' || equal.length >= mostEqual) continue;
    const known = column.cells.filter((cell) => cell !== null);
    const both = [column.cells.slice(0, around.first), column.cells.slice(around.first)].every((cells) =>
      cells.some((cell) => cell !== null),
    );
    if (!both) continue;
    const texts = new Set(known.map((cell) => [...cell.keys()].map(String).sort().join(', ')));
    if (texts.size !== 1) continue;
    const [value = ''] = texts;
    equal.push({
      layer: around.layerOf(column.id),
      fact: column.id,
      value: value.slice(0, 200),
      known: known.length,
      of: column.cells.length,
    });
  }
  return equal;
}

function oneSidedOf(columns: readonly Column[], first: number): Diff['oneSided'] {
  return columns
    .flatMap((column): Diff['oneSided'][number][] => {
      if (column.tier === 'loose' || column.tier === 'symptom') return [];
      const known = [column.cells.slice(0, first), column.cells.slice(first)].map(
        (cells) => cells.filter((cell) => cell !== null).length,
      );
      const [a = 0, b = 0] = known;
      if (a > 0 && b > 0) return [];
      return [{ fact: column.id, group: a > 0 ? 0 : 1, known: a + b }];
    })
    .slice(0, mostOneSided);
}
