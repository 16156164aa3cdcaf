import { createHash } from 'node:crypto';
import { assert, constantFrom, jsonValue, nat, property, uint8Array } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { digestOf } from './digest-of.ts';
import { exportKnowledge } from './export.ts';
import { defaultKnowledge } from './knowledge.ts';
import { applyOverride } from './override.ts';
import { rowSchemas } from './schemas.ts';
import { sha256 } from './sha256.ts';
import { tables } from './tables.ts';

const exported = exportKnowledge(defaultKnowledge);
const copy = (name: string): { table: string; asOf: string; rows: Record<string, unknown>[]; citations: unknown[] } =>
  JSON.parse(JSON.stringify(exported[name]));
const errorsOf = (files: Record<string, unknown>): readonly string[] => {
  const result = applyOverride(defaultKnowledge, new Map(Object.entries(files)));
  return 'errors' in result ? result.errors : [];
};

describe('export and override', () => {
  test('every table has a schema', () => {
    expect(tables.filter((table) => rowSchemas[table.name] === undefined)).toEqual([]);
    expect(Object.keys(rowSchemas).sort()).toEqual(tables.map((table) => table.name).sort());
  });

  test.each(tables.map((table) => table.name))('%s is taken back as it was exported', (name) => {
    const result = applyOverride(defaultKnowledge, new Map([[name, copy(name)]]));
    expect('errors' in result ? result.errors : []).toEqual([]);
    if ('knowledge' in result && name !== 'citations') expect(result.knowledge.digest).toBe(digestOf(defaultKnowledge));
  });

  test('all tables together are taken back and give the same digest', () => {
    const result = applyOverride(defaultKnowledge, new Map(tables.map(({ name }) => [name, copy(name)])));
    expect('knowledge' in result && result.knowledge.digest).toBe(digestOf(defaultKnowledge));
  });

  test('an export names the citations of its rows', () => {
    for (const { name } of tables) {
      const ids = new Set(exported[name]!.citations.map((citation) => citation.id));
      for (const row of copy(name).rows)
        for (const source of Array.isArray(row['sources']) ? row['sources'] : []) expect(ids.has(source)).toBe(true);
    }
  });

  test('a new row with a citation of its own changes the table and the digest', () => {
    const file = copy('torch-wheels');
    file.rows.push({ ...file.rows[0], torch: '2.99', sources: ['site-wheels'] });
    file.citations.push({ id: 'site-wheels', url: 'https://wheels.example/', title: 'our own wheels' });
    file.asOf = '2027-02-01';
    const result = applyOverride(defaultKnowledge, new Map([['torch-wheels', file]]));
    expect('errors' in result ? result.errors : []).toEqual([]);
    if (!('knowledge' in result)) return;
    expect(result.knowledge.torchWheels.at(-1)?.torch).toBe('2.99');
    expect(result.knowledge.asOf).toBe('2027-02-01');
    expect(result.knowledge.digest).not.toBe(digestOf(defaultKnowledge));
    expect(result.knowledge.citations.some((citation) => citation.id === 'site-wheels')).toBe(true);
    expect(defaultKnowledge.torchWheels.some((row) => row.torch === '2.99')).toBe(false);
  });

  test('rows alone are enough', () => {
    expect(errorsOf({ 'ptx-isa': copy('ptx-isa').rows })).toEqual([]);
  });
});

describe('an error names table, row and field', () => {
  const broken = (name: string, at: number, change: Record<string, unknown>): Record<string, unknown> => {
    const file = copy(name);
    file.rows[at] = { ...file.rows[at], ...change };
    return { [name]: file };
  };

  test.each<[string, Record<string, unknown>, string]>([
    ['a wrong type', broken('toolkits', 2, { runFloorLinux: 580 }), 'toolkits row 3, field runFloorLinux:'],
    [
      'no version',
      broken('toolkits', 2, { runFloorLinux: 'any' }),
      'toolkits row 3, field runFloorLinux: not a version',
    ],
    [
      'a field of an inner list',
      broken('compat-matrix', 0, { bases: [{ branch: '535', pairing: 'compatible' }] }),
      'compat-matrix row 1, field bases.0.branch:',
    ],
    ['an unknown word', broken('causes', 0, { layer: 'gpu' }), 'causes row 1, field layer:'],
    ['an unknown field', broken('gpus', 0, { price: 1 }), 'gpus row 1, field whole row:'],
    [
      'a source that nobody names',
      broken('gpus', 0, { sources: ['hearsay'] }),
      'gpus row 1, field sources: no citation has the id hearsay',
    ],
    ['no source', broken('gpus', 0, { sources: [] }), 'gpus row 1, field sources:'],
    ['a row twice', broken('gpus', 1, { name: 'K10' }), 'gpus row 2, field name: same as in row 1'],
    [
      'a branch that does not exist',
      broken('toolkits', 0, { branch: 7 }),
      'toolkits row 1, field branch: branch 7 is not in its table',
    ],
    [
      'a cause that does not exist',
      broken('xids', 0, { cause: 'gremlins' }),
      'xids row 1, field cause: cause gremlins',
    ],
    ['no rows', { toolkits: { row: [] } }, 'toolkits, field rows:'],
    ['text instead of a table', { toolkits: 'all of them' }, 'toolkits, field whole file:'],
    ['nothing', { toolkits: null }, 'toolkits, field whole file:'],
    ['another table', { toolkits: copy('gpus') }, 'toolkits, field table:'],
    ['a table that does not exist', { weather: [] }, 'weather: there is no such table'],
    ['a prototype', { ['__proto__x']: [] }, '__proto__x: there is no such table'],
    ['patterns', { signatures: [] }, 'signatures: they hold patterns'],
    [
      'a citation with another address',
      { gpus: { rows: copy('gpus').rows, citations: [{ id: 'cuda-gpus', url: 'https://evil.example/', title: 'x' }] } },
      'gpus, field citations: cuda-gpus is known',
    ],
    [
      'an address that is no web page',
      { gpus: { rows: [], citations: [{ id: 'x', url: 'javascript:alert(1)', title: 'x' }] } },
      'gpus, field citations.0.url:',
    ],
    ['endless text', broken('causes', 0, { meaning: 'x'.repeat(100_000) }), 'causes row 1, field meaning:'],
    ['too many rows', { gpus: Array.from({ length: 20_001 }, () => 0) }, 'gpus: 20001 rows are more than'],
  ])('%s', (_what, files, start) => {
    const errors = errorsOf(files);
    expect(errors.length).toBeGreaterThan(0);
    expect(errors[0]?.slice(0, start.length)).toBe(start);
  });

  test('own fields named like those of every object are refused', () => {
    const rows = JSON.parse(
      `[${JSON.stringify(copy('ptx-isa').rows[0]).replace('{', '{"__proto__":{"confirmed":true},"constructor":1,')}]`,
    );
    expect(errorsOf({ 'ptx-isa': rows }).length).toBeGreaterThan(0);
  });

  test('the list of errors ends', () => {
    expect(errorsOf({ gpus: Array.from({ length: 10_000 }, () => ({})) }).length).toBeLessThanOrEqual(51);
  });

  test('control characters of a file do not reach the terminal', () => {
    expect(errorsOf({ ['\u001b[31mred\u0007']: [] })[0]).toBe(' [31mred : there is no such table');
  });
});

describe('hostile tables', () => {
  test('any JSON for any table gives tables or errors, never an exception', () => {
    assert(
      property(constantFrom(...tables.map((table) => table.name)), jsonValue({ maxDepth: 4 }), (name, content) => {
        const result = applyOverride(defaultKnowledge, new Map([[name, content]]));
        expect('errors' in result || 'knowledge' in result).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  test('a good table with one value exchanged gives tables or errors', () => {
    assert(
      property(
        constantFrom(...tables.map((table) => table.name)),
        nat(),
        nat(),
        jsonValue({ maxDepth: 2 }),
        (name, at, which, value) => {
          const file = copy(name);
          file.rows = file.rows.slice(0, 20);
          const row = file.rows[at % file.rows.length]!;
          const fields = Object.keys(row);
          row[fields[which % fields.length]!] = value;
          const result = applyOverride(defaultKnowledge, new Map([[name, file]]));
          expect('errors' in result || 'knowledge' in result).toBe(true);
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('sha256', () => {
  test('agrees with another implementation', () => {
    assert(
      property(uint8Array({ maxLength: 300 }), (bytes) => {
        expect(sha256(bytes)).toBe(createHash('sha256').update(bytes).digest('hex'));
      }),
      { numRuns: 300 },
    );
  });

  test('of a long text agrees as well', () => {
    const bytes = new TextEncoder().encode('culprit '.repeat(100_000));
    expect(sha256(bytes)).toBe(createHash('sha256').update(bytes).digest('hex'));
  });
});
