import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rules } from '../packages/core/src/rules/rules.ts';
import { outcomeOf } from '../packages/core/src/rules/testing.ts';

const root = join(import.meta.dirname, '../packages/core/src/rules');

/** Cases of a page: heading `### kind: title`, then a fenced block. */
function casesOf(page: string): readonly { kind: string; title: string; text: string }[] {
  const cases: { kind: string; title: string; text: string }[] = [];
  const lines = page.split('\n');
  for (let i = 0; i < lines.length; i++) {
    const heading = /^### (fault|cleared|unknown): (.+)$/.exec(lines[i] ?? '');
    if (heading === null) continue;
    let from = i + 1;
    while (from < lines.length && !(lines[from] ?? '').startsWith('```')) from++;
    let to = from + 1;
    while (to < lines.length && !(lines[to] ?? '').startsWith('```')) to++;
    cases.push({ kind: heading[1]!, title: heading[2]!, text: lines.slice(from + 1, to).join('\n') });
    i = to;
  }
  return cases;
}

/** Rules that name where to look and are never more than `possible`. */
const onlyPossible: ReadonlySet<string> = new Set([
  'application/rank-ended-first',
  'application/mps-clients-imbalanced',
  'application/streams-without-order',
  // Its fault stands in databases alone, and no text can be pasted that shows it.
  'application/managed-memory-oversubscribed',
]);

describe('every rule', () => {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && name.includes('/') && !name.endsWith('.test.ts'))
    .map((name) => name.replace(/\.ts$/, ''))
    .filter((name) => !name.split('/').at(-1)!.startsWith('_'));

  it('is listed once, under the id of its path', () => {
    const ids = rules.map((rule) => rule.id);
    expect(new Set(ids).size).toBe(ids.length);
    expect([...ids].sort()).toEqual([...files].sort());
  });

  it.each(rules.map((rule) => [rule.id, rule] as const))(
    '%s has its three files, and the page agrees with its summary',
    (id, rule) => {
      expect(existsSync(join(root, `${id}.test.ts`))).toBe(true);
      const page = readFileSync(join(root, `${id}.md`), 'utf8');
      expect(page.split('\n')[0]).toBe(`# ${rule.summary}`);
      const kinds = new Set(casesOf(page).map((each) => each.kind));
      expect([...kinds].sort()).toEqual(
        ['cleared', 'fault', 'unknown'].filter((kind) =>
          id.startsWith('ok/') ? kinds.has(kind) : kind !== 'fault' || !onlyPossible.has(id),
        ),
      );
    },
  );
});

describe.each(rules.map((rule) => [rule.id, rule] as const))('page of %s', (id, rule) => {
  const file = join(root, `${id}.md`);
  const cases = existsSync(file) ? casesOf(readFileSync(file, 'utf8')) : [];
  it.each(cases.map((each) => [`${each.kind} ${each.title}`, each] as const))('%s', (_, each) => {
    const answer = outcomeOf(rule, each.text);
    const kind = answer.kind === 'fault' && answer.certainty === 'possible' ? 'unknown' : answer.kind;
    expect(kind).toBe(each.kind);
  });
});
