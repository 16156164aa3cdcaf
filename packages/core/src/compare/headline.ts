import type { Diff, Expectation, Group, Outlier, Separator, Shares, Statement } from './diff.ts';
import { widest } from './bandwidth.ts';

type Told = Omit<Diff, 'schema' | 'answer' | 'headline'>;

/** `16 of 16 failing, 0 of 14 passing`: the group that has it first. */
export function sharesWords(shares: Shares, groups: readonly Group[], group: 0 | 1): string {
  if (isPair(groups) && shares[group].with === 1 && shares[group === 0 ? 1 : 0].known === 1)
    return `only in ${groups[group]!.label}`;
  const words = ([group, group === 0 ? 1 : 0] as const).map((side) => {
    const share = shares[side];
    if (share.known === 0) return `not read in ${groups[side]?.label ?? ''}`;
    const rest = share.unknown === 0 ? '' : ` (${share.unknown} not read)`;
    return `${share.with} of ${share.known} ${groups[side]?.label ?? ''}${rest}`;
  });
  return words.join(', ');
}

/** A separator in words: `the driver release is 570.133.20`. */
export function separatorWords(separator: Separator): string {
  return separator.statements.map((each) => holdsWords(each)).join(separator.how === 'any' ? ', or ' : ' and ');
}

/** A message of a program, not a value. */
export function isMessage(statement: Statement): boolean {
  return statement.fact.startsWith('said.');
}

/** A statement in words: `the driver release is 570.133.20`, `a message is printed: a check inside NCCL failed: "…"`. */
export function holdsWords(statement: Statement): string {
  if (!isMessage(statement)) return `${statement.title} ${statement.holds}`;
  return `${statement.holds === 'is printed' ? 'prints' : 'does not print'}: ${messageWords(statement)}`;
}

const mostQuoted = 140;

/** What a message means, and the line itself. */
export function messageWords(statement: Statement): string {
  const text = statement.evidence[0]?.text.trim();
  if (text === undefined) return statement.title;
  return `${statement.title} (“${text.length > mostQuoted ? `${text.slice(0, mostQuoted)}…` : text}”)`;
}

/** `rank 11 differs from the 15 others: the collective that it waits in is _ALLGATHER_BASE, else ALLREDUCE`. */
export function outlierWords(outlier: Outlier, of: number): string {
  const { subjects, statements } = outlier;
  const [first, second] = statements;
  const many = subjects.length > 1;
  const rest = of - subjects.length;
  const more = statements.length - (second === undefined || isMessage(first!) || isMessage(second) ? 1 : 2);
  const tail = more > 0 ? `; and in ${more} more` : '';
  const names =
    subjects.length > 4
      ? `${subjects.slice(0, 3).join(', ')} and ${subjects.length - 3} more`
      : many
        ? `${subjects.slice(0, -1).join(', ')} and ${subjects[subjects.length - 1]!}`
        : subjects[0]!;
  const who = `${names} ${many ? 'differ' : 'differs'} from the ${rest} others`;
  if (isMessage(first!)) {
    const only = first!.holds === 'is printed' ? 'only' : 'all others print, but not';
    return `${who}: ${only} ${many ? 'they' : 'it'}${only === 'only' ? (many ? ' print' : ' prints') : ''}: ${messageWords(first!)}${tail}`;
  }
  const words = statements
    .slice(0, second === undefined || isMessage(second) ? 1 : 2)
    .map(
      (each) =>
        `${each.title} ${each.holds}${each.otherwise.length === 0 ? '' : `, else ${each.otherwise.join(', ')}`}`,
    );
  return `${who}: ${words.join('; ')}${tail}`;
}

/** `1 MiB`, `8 GiB`, `12 B`. */
export function sizeWords(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${Number.isInteger(value) ? value : value.toFixed(1)} ${units[unit]!}`;
}

export function expectationWords(each: Expectation): string {
  const percent = Math.round((each.measured / each.expected) * 100);
  return `${each.collective} busbw ${each.measured} GB/s at ${sizeWords(each.bytes)}, ${percent} % of the ${each.expected} GB/s of ${each.platform}`;
}

/** The answer in one line. */
export function headlineOf(told: Told, answer: Diff['answer']): string {
  const { groups } = told;
  const [corrupt] = told.corruption;
  if (corrupt !== undefined) {
    const others = told.corruption.length - 1;
    const size = corrupt.bytes === null ? '' : ` at ${sizeWords(corrupt.bytes)}`;
    return `data corruption: nccl-tests found ${corrupt.wrong} wrong ${corrupt.wrong === 1 ? 'result' : 'results'}${size} in ${corrupt.subject}${others > 0 ? ` and in ${others} more` : ''}`;
  }
  const cause = told.causes.find((each) => each.separates);
  const lead = told.separators[0];
  const gap = widest(told.bandwidth);
  const below = told.expectations.filter((each) => each.below);
  const size = groups.reduce((sum, group) => sum + group.subjects.length, 0);
  const [odd] = told.outliers;
  if (odd !== undefined && cause === undefined) return outlierWords(odd, size);
  if (groups.length === 1 && size > 1 && below.length === 0) {
    const { facts, varying } = told.compared;
    if (facts + varying === 0) return `cannot tell: no fact was read in two or more of the ${size}`;
    return varying === 0
      ? `no difference: all ${size} are alike in the ${facts} facts that were compared`
      : `none of the ${size} stands out: ${varying} facts vary, but none singles out a few; name groups with --against`;
  }
  if (groups.length === 1) {
    if (below.length > 0) return `too slow: ${expectationWords(worst(below))}`;
    const [best] = [...told.expectations].sort((a, b) => b.bytes - a.bytes);
    return best === undefined
      ? 'cannot tell: nothing shows what this ran on or which test it was; --platform names the machine'
      : `as fast as expected: ${expectationWords(best)}`;
  }
  if (cause !== undefined) {
    const chance =
      cause.chance && !told.byVerdict && odd === undefined && !isPair(groups)
        ? ' (the division itself could be chance)'
        : '';
    return `${sharesWords(cause.shares, groups, cause.group)}: ${cause.rule}: ${cause.message}${chance}`;
  }
  if (lead !== undefined && (gap === null || lead.rule !== null || groups.some((group) => group.subjects.length > 1))) {
    const chance = lead.chance && lead.rule === null && !isPair(groups) ? ', which could be chance' : '';
    if (isPair(groups) && lead.how === 'one') return pairWords(lead.statements[0]!, groups, lead.group);
    return `${sharesWords(lead.shares, groups, lead.group)}: ${separatorWords(lead)}${chance}`;
  }
  if (gap !== null) {
    const slow = gap.first < gap.second ? 0 : 1;
    const [low, high] = slow === 0 ? [gap.first, gap.second] : [gap.second, gap.first];
    const why =
      lead === undefined ? '' : isMessage(lead.statements[0]!) ? '' : `; ${lead.statements[0]!.title} differs`;
    return `${groups[slow]!.label} is slower: ${gap.collective ?? 'NCCL'} busbw ${low} against ${high} GB/s at ${sizeWords(gap.bytes)} (${Math.round(gap.ratio * 100)} %)${why}`;
  }
  const [line] = told.lines;
  if (line !== undefined) return `only ${groups[line.group]!.label} prints: ${line.text}`;
  if (below.length > 0) return `no difference that separates, but too slow: ${expectationWords(worst(below))}`;
  const near = told.nearest[0];
  if (near !== undefined)
    return `nothing separates them fully; the nearest: ${separatorWords(near)} (${sharesWords(near.shares, groups, near.group)})`;
  if (answer === 'cannot-tell')
    return told.compared.facts === 0
      ? 'cannot tell: no fact was read in both groups'
      : 'cannot tell: too little is known of both groups';
  return `no difference that separates: ${told.compared.facts} facts compared, ${told.compared.varying} vary within the groups`;
}

/** One subject against one: `the running kernel is 5.15.0-116 in bad.log, 5.15.0-113 in good.log`. */
export function pairWords(statement: Statement, groups: readonly Group[], group: 0 | 1): string {
  if (isMessage(statement)) {
    const printed = statement.holds === 'is printed';
    const label = groups[printed ? group : group === 0 ? 1 : 0]?.label ?? '';
    return `only ${label} prints: ${messageWords(statement)}`;
  }
  const other = statement.otherwise.length === 0 ? 'not' : statement.otherwise.join(', ');
  return `${statement.title} ${statement.holds} in ${groups[group]!.label}, ${other} in ${groups[group === 0 ? 1 : 0]?.label ?? ''}`;
}

export function isPair(groups: readonly Group[]): boolean {
  return groups.every((group) => group.subjects.length === 1);
}

/** The result that falls furthest below what is expected; what was read in a primary source before what was not. */
function worst(below: readonly Expectation[]): Expectation {
  return [...below].sort(
    (a, b) =>
      Number(b.confirmed) - Number(a.confirmed) || a.measured / a.least - b.measured / b.least || b.bytes - a.bytes,
  )[0]!;
}
