import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createDocument } from '../text/document.ts';
import { objectsOf } from './objects.ts';
import type { Tree } from './tree.ts';
import { at, textAt } from './tree.ts';
import { readYaml } from './yaml.ts';

function plainOf(tree: Tree): unknown {
  if (tree.map !== undefined) return Object.fromEntries([...tree.map].map(([key, value]) => [key, plainOf(value)]));
  if (tree.list !== undefined) return tree.list.map(plainOf);
  return tree.text;
}

function words(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(words);
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, words(each)]));
  return value === null ? null : String(value as string | number | boolean);
}

describe('JSON with lines', () => {
  test('reads what JSON.parse reads', () => {
    const leaf = fc.oneof(
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.string({ maxLength: 30 }).filter((each) => !/[\r\0\u001b]/.test(JSON.stringify(each))),
    );
    const key = fc.stringMatching(/^[a-z]{1,8}$/);
    const value = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 3 },
        leaf,
        fc.dictionary(key, tie('node'), { maxKeys: 4 }),
        fc.array(tie('node'), { maxLength: 4 }),
      ),
    })).node;
    fc.assert(
      fc.property(fc.dictionary(key, value, { minKeys: 1, maxKeys: 4 }), fc.constantFrom(0, 2), (object, indent) => {
        // A record of a log is read as its message.
        fc.pre(!['log', 'msg', 'message', 'event', 'body', 'line', 'text'].some((name) => name in object));
        const [read] = objectsOf(createDocument(JSON.stringify(object, null, indent)));
        expect(read === undefined ? null : plainOf(read.root)).toEqual(words(object));
      }),
      { numRuns: 150 },
    );
  });

  test('says the line of each value, also of a long one', () => {
    const text = `{"a": 1,\n "b": {\n  "c": "x",\n  "pad": "${'y'.repeat(5000)}", "d": "z" } }`;
    const { root } = objectsOf(createDocument(text))[0]!;
    expect(at(root, 'b', 'c')!.line.number).toBe(3);
    expect(at(root, 'b', 'd')!.line.number).toBe(4);
    expect(textAt(root, 'b', 'd')).toBe('z');
  });

  test('gives what stands before a cut', () => {
    const read = objectsOf(createDocument('{"kind":"Pod","status":{"phase":"Running","con'))[0]!;
    expect(read.whole).toBe(false);
    expect(textAt(read.root, 'status', 'phase')).toBe('Running');
  });

  test('stands deep nesting', () => {
    expect(objectsOf(createDocument('[{"a":'.repeat(20_000)))).toBeDefined();
  });
});

describe('YAML with lines', () => {
  test.each<[string, string, unknown]>([
    ['maps and lists', 'a:\n- b: 1\n  c: [x, "y"]\n- d\n', { a: [{ b: '1', c: ['x', 'y'] }, 'd'] }],
    ['block texts', 'a: |\n  one\n  two\nb: >-\n  one\n  two\n', { a: 'one\ntwo', b: 'one two' }],
    [
      'quotes and comments',
      "a: 'it''s' \nb: \"x\\ty\"\nc: 1 # n\nd: null\n",
      { a: "it's", b: 'x\ty', c: '1', d: null },
    ],
    ['a list in a list', '- - a\n  - b\n- c\n', [['a', 'b'], 'c']],
    ['an empty value', 'a:\nb: {}\n', { a: null, b: {} }],
  ])('%s', (_, text, value) => {
    const document = createDocument(text);
    expect(plainOf(readYaml(document, document.lines[0]!)!.root)).toEqual(value);
  });

  test('never throws and ends', () => {
    const piece = fc.constantFrom(
      'a: ',
      '- ',
      '\n',
      '  ',
      '"',
      "'",
      '[',
      ']',
      '{',
      '}',
      '|',
      '>',
      '#',
      'x',
      ': ',
      '---\n',
      '&a ',
      '*a',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 80 }), (parts) => {
        const document = createDocument(`k: ${parts.join('')}`);
        const read = readYaml(document, document.lines[0]!);
        if (read !== null) expect(read.last).toBeLessThanOrEqual(document.lines.length);
      }),
      { numRuns: 400 },
    );
  });
});
