import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createDocument } from './document.ts';

const clean = (text: string): readonly string[] => createDocument(text).lines.map((line) => line.clean);

it.each([
  [
    'in single quotes',
    "    message: 'Error: failed to create shim task: OCI\n      runtime create failed: can''t start'\n    reason: Failed",
    "    message: Error: failed to create shim task: OCI runtime create failed: can't start",
  ],
  [
    'in double quotes',
    '  note: "failed to get sandbox runtime: no runtime for\n    \\"nvidia\\" is configured"\n  type: Warning',
    '  note: failed to get sandbox runtime: no runtime for "nvidia" is configured',
  ],
  [
    'plain',
    '  message: containers with unready status and a long text that\n    goes on here\n  reason: ContainersNotReady',
    '  message: containers with unready status and a long text that goes on here',
  ],
])('a folded text %s is matched as a whole', (_, text, first) => {
  const lines = clean(text);
  expect(lines).toHaveLength(3);
  expect(lines[0]).toBe(first);
  expect(createDocument(text).lines.map((line) => line.text)).toEqual(text.split('\n'));
});

it('a text that ends in its line stays alone', () => {
  const text = "message: 'Error: failed to create the thing'\n  deeper: x";
  expect(clean(text)).toEqual(text.split('\n'));
});

it('never throws, and keeps every line', () => {
  const piece = fc.constantFrom(
    "message: '",
    'note: "',
    '  ',
    'a long text of many words ',
    "'",
    '"',
    '\\',
    '\n',
    'key: ',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (parts) => {
      const text = `x${parts.join('')}x`;
      expect(createDocument(text).lines.map((line) => line.text)).toEqual(text.split('\n'));
    }),
  );
});
