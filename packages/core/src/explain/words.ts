import type { Knowledge } from '../knowledge/knowledge.ts';
import { tables } from '../knowledge/tables.ts';
import { rules } from '../rules/rules.ts';
import type { FactWord } from './facts.rows.ts';
import type { Topic } from './topic.ts';
import { commandsOf, listOf, textOf } from './topic.ts';
import type { WordRow } from './words.rows.ts';

/** A rule of a judgement, or a word of an answer. */
export function wordTopic(row: WordRow): Topic {
  return {
    kind: row.kind,
    id: row.id,
    title: row.title,
    facts: [],
    blocks: [...textOf(...row.text), ...commandsOf('What shows it', row.next)],
    owner: row.owner,
    see: row.see,
    sources: [],
    confirmed: true,
  };
}

/** A fact that answers list, and that rules ask for. */
export function factTopic(row: FactWord): Topic {
  const asking = rules.filter((rule) =>
    [...rule.needs, ...(rule.anyOf ?? []), ...(rule.uses ?? [])].some((id) => id === row.id),
  );
  return {
    kind: 'fact',
    id: row.id,
    title: row.text,
    facts: [],
    blocks: [
      ...commandsOf('What shows it', row.command === null ? [] : [row.command]),
      ...listOf(
        'Rules that ask for it',
        asking.slice(0, 40).map((rule) => `${rule.id}: ${rule.summary}`),
      ),
    ],
    owner: null,
    see: asking.slice(0, 12).map((rule) => rule.id),
    sources: [],
    confirmed: true,
  };
}

/** A table of the knowledge, by the name of its file. */
export function tableTopic(knowledge: Knowledge, name: string): Topic | null {
  const table = tables.find((each) => each.name === name);
  if (table === undefined) return null;
  const rows = knowledge[table.key] as readonly { readonly confirmed?: boolean }[];
  const open = rows.filter((row) => row.confirmed === false).length;
  return {
    kind: 'table',
    id: table.name,
    title: `Table ${table.name}: ${table.about}`,
    facts: [
      ['rows', String(rows.length)],
      ['not confirmed', String(open)],
      ['as of', knowledge.asOf],
    ],
    blocks: [
      ...textOf('A row that is not confirmed can make a finding likely, never proved.'),
      ...commandsOf('Its rows, as a JSON file', ['culprit knowledge --export DIR']),
    ],
    owner: null,
    see: [],
    sources: [],
    confirmed: true,
  };
}
