import type { Level, SeriesChange } from '../utilization/compare.ts';
import type { SeriesComparison } from '../utilization/comparison.ts';
import { calledIn, numberIn } from '../utilization/comparison.ts';

const mostLines = 200;

function levelText(level: Level | null, unit: string): string {
  return level === null ? 'not measured' : `${numberIn(level.value)}${unit === '' ? '' : ` ${unit}`}`;
}

/** `-37.5 %, 42 × its noise` */
function sizeText({ before, difference, noise }: SeriesChange): string {
  if (difference === null) return '';
  const parts: string[] = [];
  const base = Math.abs(before?.value ?? 0);
  if (base > 0) parts.push(`${difference > 0 ? '+' : ''}${numberIn((100 * difference) / base)} %`);
  if (noise !== null && noise > 0) parts.push(`${numberIn(Math.abs(difference) / noise)} × its noise`);
  return parts.join(', ');
}

function sinceText({ since }: SeriesChange): string {
  if (since === null) return '';
  return since.side === 'between' ? `since the second part, ${since.text}` : `since ${since.text}`;
}

function sidesText({ by, sides }: SeriesComparison): readonly string[] {
  return sides.map(({ name, from, to, gpus, samples }, at) => {
    const role = by === 'node' ? 'node' : at === 0 ? 'before' : 'after';
    const when = from === null || to === null ? 'no samples' : `${from} to ${to}`;
    return `${role.padEnd(6)}  ${name}: ${when}, ${gpus} GPU${gpus === 1 ? '' : 's'}, ${samples} samples`;
  });
}

/** Counters that stayed equal, by what they are of. */
function together(changes: readonly SeriesChange[]): ReadonlyMap<string, readonly SeriesChange[]> {
  const groups = new Map<string, SeriesChange[]>();
  for (const change of changes) groups.set(change.gpu, [...(groups.get(change.gpu) ?? []), change]);
  return groups;
}

/** What changed, the most first; a counter that went one way on several GPUs at once stands in one line. */
function changedLines({ by, changed }: SeriesComparison): readonly string[] {
  const groups = new Map<string, SeriesChange[]>();
  for (const change of changed) {
    const key = `${change.metric} ${Math.sign(change.difference ?? 0)} ${change.since?.side} ${change.since?.text}`;
    groups.set(key, [...(groups.get(key) ?? []), change]);
  }
  const parts = [...groups.values()].flatMap((group) => (group.length > 2 ? [group] : group.map((one) => [one])));
  const lines = parts.slice(0, mostLines).map((group) => {
    const [first] = group as [SeriesChange];
    const who =
      group.length === 1
        ? calledIn(by, first.gpu)
        : `${group.length} GPUs (${group
            .slice(0, 8)
            .map(({ gpu }) => gpu)
            .toSorted()
            .join(', ')}${group.length > 8 ? ', …' : ''})`;
    const about = group.length === 1 ? '' : `, ${calledIn(by, first.gpu)} most`;
    const how = [sizeText(first) + about, sinceText(first)].filter((text) => text !== '').join('; ');
    return `  ${who}  ${first.metric}: ${levelText(first.before, '')} → ${levelText(first.after, first.unit)}  ${how}`.trimEnd();
  });
  const more = parts.length - lines.length;
  return more > 0 ? [...lines, `  … ${more} more; --format json has them all`] : lines;
}

/** A comparison for a terminal: the answer, what changed and since when, what stayed equal, what cannot be told. */
export function comparisonText(found: SeriesComparison): string {
  const { by, headline, changed, equal, unclear, gone, added, left } = found;
  const lines = [headline, '', ...sidesText(found)];
  if (changed.length > 0) lines.push('', by === 'node' ? 'differs from the other nodes' : 'changed');
  lines.push(...changedLines(found));
  if (gone.length > 0) lines.push('', `only before: ${gone.map((gpu) => calledIn(by, gpu)).join(', ')}`);
  if (added.length > 0) lines.push('', `only after: ${added.map((gpu) => calledIn(by, gpu)).join(', ')}`);
  if (equal.length > 0) lines.push('', 'stayed equal');
  for (const [gpu, own] of together(equal))
    lines.push(
      `  ${calledIn(by, gpu)}  ${own.map(({ metric, after, unit }) => `${metric} ${levelText(after, unit)}`).join(', ')}`,
    );
  if (unclear.length > 0) lines.push('', 'cannot tell');
  for (const { gpu, metric, before, after, unit, because } of unclear.slice(0, mostLines))
    lines.push(`  ${calledIn(by, gpu)}  ${metric}: ${levelText(before, '')} → ${levelText(after, unit)}  ${because!}`);
  for (const each of left) lines.push('', `not read: ${each}`);
  return `${lines.join('\n')}\n`;
}

/** The same as Markdown. */
export function comparisonMarkdown(found: SeriesComparison): string {
  const { by, headline, changed, equal, unclear, gone, added, left } = found;
  const cell = (text: string): string => text.replaceAll('\\', String.raw`\\`).replaceAll('|', String.raw`\|`);
  const rows = [...changed, ...unclear, ...equal].slice(0, 4 * mostLines).map((change) => {
    const { gpu, metric, before, after, unit, state, because } = change;
    const cells = [
      state === 'cannot-tell' ? `cannot tell: ${because!}` : state,
      calledIn(by, gpu),
      metric,
      levelText(before, unit),
      levelText(after, unit),
      state === 'changed' ? sizeText(change) : '',
      sinceText(change),
    ];
    return `| ${cells.map(cell).join(' | ')} |`;
  });
  return [
    `**${cell(headline)}**`,
    '',
    ...sidesText(found).map((side) => `- ${cell(side)}`),
    ...(gone.length === 0 ? [] : [`- only before: ${cell(gone.join(', '))}`]),
    ...(added.length === 0 ? [] : [`- only after: ${cell(added.join(', '))}`]),
    ...left.map((each) => `- not read: ${cell(each)}`),
    '',
    '| | GPU | counter | before | after | change | since |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}
