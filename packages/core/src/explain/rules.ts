import type { Knowledge } from '../knowledge/knowledge.ts';
import type { SignatureRow } from '../knowledge/signatures/signature.types.ts';
import type { Rule } from '../model/rule.ts';
import { rules } from '../rules/rules.ts';
import { sourcesOf } from './citations.ts';
import type { ConceptRow } from './concepts.rows.ts';
import { causesOf, nextSteps } from './statuses.ts';
import type { Block, Topic } from './topic.ts';
import { commandsOf, listOf, textOf } from './topic.ts';

/** A rule, with its page where one is at hand. */
export function ruleTopic(knowledge: Knowledge, rule: Rule, page: string | undefined): Topic {
  const cause = knowledge.causes.find((row) => row.cause === rule.id.slice(rule.id.indexOf('/') + 1));
  return {
    kind: 'rule',
    id: rule.id,
    title: rule.summary,
    facts: [
      ['layer', cause?.layer ?? rule.id.slice(0, rule.id.indexOf('/'))],
      ...(cause === undefined ? [] : [['status', cause.status] as const]),
      ...(rule.needs.length === 0 ? [] : [['needs', rule.needs.join(', ')] as const]),
      ...(rule.anyOf === undefined ? [] : [['one of', rule.anyOf.join(', ')] as const]),
    ],
    blocks: page === undefined ? textOf(cause?.meaning) : [{ kind: 'page', markdown: shortened(page) }],
    owner: cause?.owner ?? null,
    see: followersOf(knowledge, rule),
    sources: sourcesOf(knowledge, rule.citations),
    confirmed: true,
  };
}

/** Rules and messages that are only consequences of this fault, as far as they are named singly. */
function followersOf(knowledge: Knowledge, rule: Rule): readonly string[] {
  const named = new Set((rule.explains ?? []).map((id) => id.replace(/^said\./, '')));
  return [...named].filter(
    (id) => rules.some((each) => each.id === id) || knowledge.signatures.some((row) => row.id === id),
  );
}

/** The page without its title, which is said already, and without its cases, which are tests. */
function shortened(page: string): string {
  const body = page.replace(/^# [^\n]{0,300}\n/, '');
  const cases = body.indexOf('\n## Cases');
  return (cases < 0 ? body : body.slice(0, cases)).trim();
}

/** A cause that no rule of its own decides, or that several do. */
export function causeTopic(knowledge: Knowledge, cause: Knowledge['causes'][number], deciding: readonly Rule[]): Topic {
  const messages = knowledge.signatures.filter((row) => row.causes.some((each) => each.cause === cause.cause));
  return {
    kind: 'cause',
    id: cause.cause,
    title: cause.meaning === '' ? cause.cause : cause.meaning,
    facts: [
      ['group', cause.class],
      ['layer', cause.layer ?? 'none'],
      ['status', cause.status],
    ],
    blocks: [
      ...listOf(
        'Rules that decide it',
        deciding.map((rule) => `${rule.id}: ${rule.summary}`),
      ),
      ...listOf(
        'Messages that may mean it',
        messages.slice(0, 12).map((row) => `${row.id}: ${row.meaning}`),
      ),
    ],
    owner: cause.owner,
    see: deciding.map((rule) => rule.id),
    sources: [],
    confirmed: true,
  };
}

/** A message that is recognised. */
export function messageTopic(knowledge: Knowledge, row: SignatureRow): Topic {
  const roles: Readonly<Record<SignatureRow['role'], string>> = {
    signature: 'it can be a cause',
    carrier: 'the reason stands inside it or before it',
    'follow-on': 'a consequence, never a cause by itself',
    info: 'information',
    benign: 'harmless where the program goes on',
  };
  return {
    kind: 'message',
    id: row.id,
    title: row.meaning === '' ? row.id : row.meaning,
    facts: [
      ['layer', row.layer],
      ['severity', row.severity],
      ['role', roles[row.role]],
      ...(row.symbol === null ? [] : [['name', row.symbol] as const]),
      ...(row.code === null ? [] : [['code', String(row.code)] as const]),
    ],
    blocks: [...listOf('It looks like this', row.examples.slice(0, 3)), ...nextSteps(row)],
    owner: row.owner,
    see: causesOf(row),
    sources: sourcesOf(knowledge, row.sources),
    confirmed: row.confirmed,
  };
}

export function conceptTopic(knowledge: Knowledge, row: ConceptRow): Topic {
  return {
    kind: 'concept',
    id: row.id,
    title: row.title,
    facts: [],
    blocks: [
      ...row.text.map((text): Block => ({ kind: 'text', text })),
      ...numbersOf(knowledge, row.id),
      ...textOf(`When it bites: ${row.acts}.`),
      ...commandsOf('What to look at next', row.next),
    ],
    owner: row.owner,
    see: row.see,
    sources: sourcesOf(knowledge, row.sources),
    confirmed: true,
  };
}

/** Numbers that belong to a concept, from the tables. */
function numbersOf(knowledge: Knowledge, id: string): readonly Block[] {
  switch (id) {
    case 'minimum-driver':
    case 'minor-version-compatibility':
      return listOf(
        'Floors (Linux driver)',
        knowledge.minorVersion
          .filter((row) => row.allowed)
          .map((row) => `CUDA ${row.major}.${row.fromMinor} and newer of ${row.major}: ${row.minDriverLinux}`),
      );
    case 'forward-compatibility':
      return listOf(
        'Host branches that each package may sit on',
        knowledge.compatMatrix.map((row) => {
          const bases = row.bases.filter((each) => each.pairing === 'compatible').map((each) => each.branch);
          return `${row.package}: ${bases.length === 0 ? 'none' : bases.join(', ')}`;
        }),
      );
    case 'driver-branch':
      return listOf(
        'Newest CUDA of each branch',
        knowledge.branches
          .slice(-14)
          .map(
            (row) =>
              `${row.branch}: CUDA ${row.cuda} (${row.kind}${row.endOfLife === null ? '' : `, ends ${row.endOfLife}`})`,
          ),
      );
    default:
      return [];
  }
}
