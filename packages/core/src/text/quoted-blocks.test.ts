import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDocument } from './document.ts';
import { nodesOf } from './guide-nodes.ts';
import { isSpokenOf } from './quoted.ts';

const message = 'GPU has fallen off the bus';
const toldLines = (text: string): readonly number[] =>
  createDocument(text)
    .lines.filter((line) => line.told)
    .map((line) => line.number);

describe('lines that are data, program text or a quotation', () => {
  it.each([
    ['a hunk of a diff', `@@ -1,1 +1,2 @@\n a\n+${message}\n\ntail`, [1, 2, 3, 4]],
    ['the message of a commit', `commit 0a1b2c3d\nAuthor: a\n\n    on ${message}\nend`, [2, 3, 4]],
    ['a script in a manifest', `data:\n  run.sh: |\n    ${message}\nkind: ConfigMap`, [3]],
    ['a list of settings', `retry_on:\n  - "${message}"\nmax: 3`, [2]],
    ['a table of meanings', `Xid,Meaning,Action\n79,${message},reseat\nend`, [2]],
    ['a test that passed', `[ RUN      ] A.b\n${message}\n[       OK ] A.b`, [1, 2, 3]],
  ])('are told: %s', (_, text, numbers) => {
    expect(toldLines(text)).toEqual(numbers);
  });

  it.each([
    ['output below a key of a form', `output: |\n  ${message}`],
    ['a test that failed', `[ RUN      ] A.b\n${message}\n[  FAILED  ] A.b`],
    ['events of a cluster', `LAST SEEN  TYPE  REASON  OBJECT  MESSAGE\n2m  Warning  Lost  node/a  ${message}`],
    ['lines of an error below a key', `stderr_lines:\n  - "${message}"`],
  ])('are printed: %s', (_, text) => {
    expect(toldLines(text)).toEqual([]);
  });

  it('reads any text', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => createDocument(text).lines.length >= 0));
  });
});

describe('a message in a line', () => {
  it.each([
    ['a key of a configuration', '"pattern": "', '"'],
    ['an argument of a command', '"args":["-q","', '"]'],
    ['an alternative of an expression', 'Regex MESSAGE (NVRM: Xid|', '|other)'],
    ['looked for in vain', "checking for '", "' in dmesg: not found"],
    ['a rule that was loaded', 'loaded rule "', '"'],
    ['a literal of a call', 'NV_PRINTF(LEVEL_ERROR, "', '\\n");'],
  ])('is spoken of: %s', (_, before, after) => {
    expect(isSpokenOf(before, message, after)).toBe(true);
  });

  it.each([
    ['the field of an error', 'level=error msg="check failed" error="', '"'],
    ['the message of an event', "message: '", "'"],
    ['the output of a task', '"stdout": "', '"'],
    ['an exception with its type', "RuntimeError('", "')"],
    ['found by a check', "checking for '", "': found"],
    ['an alert that fires', '{"status":"firing","annotations":{"description":"', '"}}'],
  ])('is printed: %s', (_, before, after) => {
    expect(isSpokenOf(before, message, after)).toBe(false);
  });
});

describe('a list of nodes', () => {
  it.each([
    ['gpu-[01-03,07]', ['gpu-01', 'gpu-02', 'gpu-03', 'gpu-07']],
    ['a1,a2', ['a1', 'a2']],
  ])('%s', (list, names) => {
    expect([...(nodesOf(list) ?? [])]).toEqual(names);
  });
});
