// The page judges as the command line does: each third text of the corpus; all of them, and those of a folder of cases,
// with CULPRIT_CASES=DIR.
// Files of other kinds: page-answers.test.ts.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { judgedInputs } from '../packages/cli/src/judged-inputs.ts';
import { defaultKnowledge } from '../packages/core/src/knowledge/knowledge.ts';
import { answer } from '../packages/web/src/core/asks/diagnose.ts';
import { culprit, root, scratch } from './run-cli.ts';

const folder = scratch();
afterAll(folder.remove);

const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** What the page's worker answers to bytes that were pasted or dropped under a name. */
async function verdictOfPage(name: string, given: string | Uint8Array<ArrayBuffer>): Promise<unknown> {
  const input = typeof given === 'string' ? { name, text: given } : { name, file: new Blob([given]) };
  const { verdict, html } = await answer({ inputs: [input] }, () => undefined);
  expect(html).not.toMatch(/<script|\son\w+=/i);
  return json(verdict);
}

interface Case {
  readonly id: string;
  readonly text: string;
}

/** Texts of the corpus; where a folder of further ones is named, all. */
function corpus(): readonly Case[] {
  const every = process.env['CULPRIT_CASES'] === undefined ? 3 : 1;
  const place = join(root, 'fixtures/corpus');
  return readdirSync(place)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => JSON.parse(readFileSync(join(place, name), 'utf8')) as readonly Case[])
    .filter((_, at) => at % every === 0);
}

/** Cases of one file each, `{ input: { text } }`; none where no folder is named. */
function further(): readonly Case[] {
  const place = process.env['CULPRIT_CASES'];
  if (place === undefined) return [];
  return filesBelow(place)
    .filter((path) => path.endsWith('.json'))
    .flatMap((path) => {
      const found = JSON.parse(readFileSync(path, 'utf8')) as { id?: string; input?: { text?: string } };
      return typeof found.input?.text === 'string' ? [{ id: found.id ?? path, text: found.input.text }] : [];
    });
}

function filesBelow(place: string): readonly string[] {
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name));
}

async function differing(cases: readonly Case[]): Promise<readonly string[]> {
  const wrong: string[] = [];
  const path = folder.path('case.txt');
  for (const [at, { id, text }] of cases.entries()) {
    writeFileSync(path, text);
    const { verdict } = await judgedInputs([path], defaultKnowledge);
    const wanted = JSON.stringify(verdict);
    if (JSON.stringify(await verdictOfPage(path, text)) !== wanted) wrong.push(`${id}, pasted`);
    // Files go another way into the same documents: some of them show it.
    if (at % 8 !== 0) continue;
    const bytes = Uint8Array.from(Buffer.from(text));
    if (JSON.stringify(await verdictOfPage(path, bytes)) !== wanted) wrong.push(`${id}, dropped`);
  }
  return wrong;
}

describe('the page', () => {
  it('gives the verdict of the command line on texts of the corpus', { timeout: 300_000 }, async () => {
    const cases = [...corpus(), ...further()];
    expect(cases.length).toBeGreaterThan(250);
    expect(await differing(cases)).toEqual([]);
  });

  it.each(['examples/one-gpu-lost.log', 'examples/healthy-dump.txt', 'examples/nccl-slow.log'])(
    'gives what the built command prints: %s',
    async (name) => {
      const printed: unknown = JSON.parse(culprit(['diagnose', '--format', 'json', name]).out);
      expect(await verdictOfPage(name, readFileSync(join(root, name), 'utf8'))).toEqual(printed);
    },
  );
});
