import { array, assert, constantFrom, jsonValue, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseTableText } from './table-text.ts';

describe('the text of a table file', () => {
  test.each([
    ['an object', '{ "rows": [1, "a\\"b", null] }', { rows: [1, 'a"b', null] }],
    ['a byte order mark before it', '\uFEFF[]', []],
    ['the same key in two objects', '[{ "a": 1 }, { "a": 2 }]', [{ a: 1 }, { a: 2 }]],
    ['a key that is a value elsewhere', '{ "a": "a", "b": { "a": "b" } }', { a: 'a', b: { a: 'b' } }],
    ['brackets inside strings', '["{{{[[[", "\\\\"]', ['{{{[[[', '\\']],
  ])('is read: %s', (_what, text, content) => {
    expect(parseTableText(text)).toEqual({ content });
  });

  test.each([
    ['a key twice', '{\n "a": 1,\n "a": 2 }', 'line 3: the key "a" stands twice in one object'],
    ['a key twice, once escaped', '{ "a": 1, "\\u0061": 2 }', 'line 1: the key "a" stands twice in one object'],
    ['too deep', '['.repeat(33), 'line 1: nested deeper than 32'],
    ['very deep', '['.repeat(1_000_000), 'line 1: nested deeper than 32'],
    ['a string without end', '["abc', 'line 1: a string does not end'],
    ['no JSON', '{ a: 1 }', 'not JSON'],
    ['nothing', '', 'not JSON'],
    ['too long', ' '.repeat(16 * 1024 * 1024 + 1), 'longer than 16 MiB'],
  ])('is refused: %s', (_what, text, error) => {
    expect(parseTableText(text)).toEqual({ error });
  });

  test('takes what JSON.stringify writes', () => {
    assert(
      property(jsonValue({ maxDepth: 5 }), (value) => {
        const text = JSON.stringify(value);
        expect(parseTableText(text)).toEqual({ content: JSON.parse(text) });
      }),
    );
  });

  test('never throws on garbage', () => {
    assert(
      property(
        array(constantFrom('{', '}', '[', ']', '"', ':', ',', '\\', 'a', '1', '\n', ' '), { maxLength: 60 }),
        (parts) => {
          const result = parseTableText(parts.join(''));
          expect('error' in result || 'content' in result).toBe(true);
        },
      ),
    );
    assert(property(string(), (text) => void parseTableText(text)));
  });
});
