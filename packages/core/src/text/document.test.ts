import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDocument, sliceLength } from './document.ts';

describe('createDocument', () => {
  it('gives every line its number, also with CR LF and lone CR', () => {
    expect(createDocument('a\r\nb\r\n').lines.map((line) => [line.number, line.clean])).toEqual([
      [1, 'a'],
      [2, 'b'],
    ]);
    expect(createDocument('a\rb').lines.map((line) => line.clean)).toEqual(['a', 'b']);
  });

  it('knows prompts, their commands and the output below', () => {
    const { lines } = createDocument('$ lsmod | grep nvidia\nnvidia 12144640 0\n$ uname -r\n6.1.0\n');
    expect(lines.map((line) => [line.prompt, line.command])).toEqual([
      [true, 'lsmod | grep nvidia'],
      [false, 'lsmod | grep nvidia'],
      [true, 'uname -r'],
      [false, 'uname -r'],
    ]);
  });

  it('takes a remark for told and a heading for the scope of the lines below', () => {
    const { lines } = createDocument('# host\nGPU: x\n# in the container\n$ nvidia-smi\nok\n');
    expect(lines.map((line) => [line.told, line.scope])).toEqual([
      [true, 'host'],
      [false, 'host'],
      [true, 'container'],
      [false, 'container'],
      [false, 'container'],
    ]);
  });

  it.each([
    '# gpu    sm   mem   enc   dec',
    '# Idx     %     %     %     %',
    '# HELP DCGM_FI_DEV_SM_CLOCK clock',
    '#       size         count    type',
    '# nThread 1 nGpus 8',
  ])('takes %j for the output of a program', (text) => expect(createDocument(text).lines[0]?.told).toBe(false));

  it('cuts a very long line into slices that overlap and know their column', () => {
    const text = `${'x'.repeat(5000)}NVRM: Xid${'y'.repeat(5000)}`;
    const { lines } = createDocument(text);
    for (const line of lines) {
      expect(line.number).toBe(1);
      expect(line.text).toBe(text.slice(line.column - 1, line.column - 1 + sliceLength));
      expect(line.text).toHaveLength(sliceLength);
    }
    expect(lines.some((line) => line.clean.includes('NVRM: Xid'))).toBe(true);
  });

  it('loses no line of any text', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 80 }).filter((line) => !/[\r\n]/.test(line))), (texts) => {
        const { lines } = createDocument(texts.map((text) => `${text}\n`).join(''));
        expect(lines.map((line) => line.text)).toEqual(texts);
      }),
    );
  });
});
