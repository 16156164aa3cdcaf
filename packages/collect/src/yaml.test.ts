import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isYamlProblem, readYaml } from './yaml.ts';

describe('YAML with lines', () => {
  it('gives values and the line of each', () => {
    const read = readYaml('nodes:\n  - name: a\n    gpu: H100\n  - name: b\n');
    if (isYamlProblem(read)) throw new Error(read.message);
    expect(read.value).toEqual({ nodes: [{ name: 'a', gpu: 'H100' }, { name: 'b' }] });
    expect([
      read.lineOf(['nodes']),
      read.lineOf(['nodes', 1]),
      read.lineOf(['nodes', 0, 'gpu']),
      read.lineOf(['x']),
    ]).toEqual([1, 4, 3, null]);
  });

  it('tells where it is broken', () => {
    expect(readYaml('a: 1\nb: [1,\n')).toMatchObject({ line: 3 });
    expect(isYamlProblem(readYaml('a: *none'))).toBe(true);
  });

  it.each([
    ['brackets', '['.repeat(500_000)],
    ['braces', `a:\nb: ${'{a: '.repeat(3000)}`],
  ])('goes down only so deep: %s', (_, text) => {
    const read = readYaml(text);
    expect(isYamlProblem(read) && read.message).toBe('it is nested too deeply');
  });

  it('puts anchors in so often only', () => {
    const bomb = [
      'a: &a [x, x, x, x, x, x, x, x, x]',
      ...'bcdefgh'
        .split('')
        .map((name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[at]!}`).join(', ')}]`),
    ];
    expect(isYamlProblem(readYaml(bomb.join('\n')))).toBe(true);
  });

  it('reads JSON, and nothing', () => {
    expect(readYaml('{"a": [1]}')).toMatchObject({ value: { a: [1] } });
    expect(readYaml('')).toMatchObject({ value: null });
  });

  it('never throws', () => {
    const word = fc.constantFrom(
      'a',
      ':',
      ' ',
      '\n',
      '- ',
      '&a',
      '*a',
      '!!js/function',
      '{',
      '}',
      '[',
      ']',
      '"',
      '|',
      '>',
      '---',
      '%YAML',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(word).map((all) => all.join('')),
        ),
        (text) => void readYaml(text),
      ),
    );
  });
});
