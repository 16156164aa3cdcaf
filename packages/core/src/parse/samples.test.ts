import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readFacts } from '../diagnose/diagnose.ts';
import { createDocument } from '../text/document.ts';
import { inputs } from './inputs.test.rows.ts';
import { rows as outputs } from './samples.test.rows.ts';
import { factsOf, table } from './testing.ts';

const folder = new URL('../../../../fixtures/outputs/', import.meta.url);

function fixture(name: string): string {
  return readFileSync(new URL(name, folder), 'utf8');
}

const rows = { ...outputs, ...inputs };

describe('each sample gives what it says', () => {
  for (const [file, row] of Object.entries(rows)) {
    test(`${file}: ${row.what}`, () => {
      const text = row.prompt === undefined ? fixture(file) : `$ ${row.prompt}\n${fixture(file)}`;
      const facts = table(text);
      for (const [id, values] of Object.entries(row.gives ?? {})) {
        expect(Object.keys(facts)).toContain(id);
        for (const value of values)
          expect(facts[id]).toContainEqual(
            value !== null && typeof value === 'object' && !Array.isArray(value)
              ? expect.objectContaining(value)
              : value,
          );
      }
      for (const id of row.nothing ?? []) expect(Object.keys(facts)).not.toContain(id);
      const said = readFacts([createDocument(text)])
        .ids()
        .filter((id) => id.startsWith('said.'));
      for (const id of row.said ?? []) expect(said.some((each) => each.startsWith(id))).toBe(true);
    });
  }

  test('no sample is left out', () => {
    const all = readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .flatMap((entry) => readdirSync(new URL(`${entry.name}/`, folder)).map((file) => `${entry.name}/${file}`));
    expect(all.filter((name) => rows[name] === undefined)).toEqual([]);
  });

  test('each message of the container library is known by itself', () => {
    for (const line of fixture('container/cli-errors.txt').trim().split('\n')) {
      const said = readFacts([createDocument(line)])
        .ids()
        .filter((id) => id.startsWith('said.'));
      expect({ line, known: said.length > 0 }).toEqual({ line, known: true });
    }
  });

  test('they are told apart in one paste', () => {
    const names = Object.keys(rows).filter((name) => rows[name]!.prompt === undefined);
    const joined = factsOf(names.map((name) => `$ cat ${name.split('/')[1]!}\n${fixture(name)}`).join('\n'));
    const ids = new Set<string>(joined.map((fact) => fact.id));
    for (const id of [
      'gpu.pcie',
      'k8s.event',
      'slurm.node',
      'dcgm.test',
      'profile.metric',
      'nccl.net',
      'cdi.devices',
      'util.samples',
    ])
      expect(ids).toContain(id);
  });
});
