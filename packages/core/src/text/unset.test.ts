import { describe, expect, it } from 'vitest';
import { contextOf } from '../diagnose/evaluate.ts';
import { readFacts } from '../diagnose/diagnose.ts';
import { defaultKnowledge } from '../knowledge/knowledge.ts';
import { verdictFor } from '../rules/testing.ts';
import { signatures } from '../knowledge/signatures/signatures.ts';
import { createDocument } from './document.ts';
import { isUnset, withoutUnset } from './unset.ts';

function signaturesIn(text: string): readonly string[] {
  return contextOf(readFacts([createDocument(text)]), defaultKnowledge).said.map((fact) => fact.value.signature);
}

describe('withoutUnset', () => {
  it.each([
    ['{"OOMKilled":false,"Dead":true}', '"OOMKilled":false'],
    ['{"Error": "", "Pid": 3}', '"Error": ""'],
    ['{"xid_errors": 0}', '"xid_errors": 0'],
    ['{"failure":null}', '"failure":null'],
    ['{"ecc errors" : [], "a": 1}', '"ecc errors" : []'],
  ])('%s loses its empty field and keeps its places', (text, field) => {
    expect(withoutUnset(text)).toBe(text.replace(field, ' '.repeat(field.length)));
  });

  it.each(['{"OOMKilled":true}', '{"code":719}', '{"x":0.5}', '{"msg":"0 of 8"}', 'error: 0x1f'])(
    '%s stays',
    (text) => {
      expect(withoutUnset(text)).toBe(text);
    },
  );
});

describe('isUnset', () => {
  it.each([
    ['', 'oom_kill', ' 0'],
    ['', 'MemoryPressure', '   False   Tue'],
    ['', 'CUDA_ERROR', ': none'],
    ['  ', 'OOMKilled', ': false'],
    ['', 'OOMKilled', '=false'],
    ['node: fine, 0 ', 'XID_ERROR', 's'],
  ])('%s%s%s says that it did not happen', (before, message, after) => {
    expect(isUnset(before, message, after)).toBe(true);
  });

  it.each([
    ['', 'CUDA_ERROR', ': 719'],
    ['rank ', 'OutOfMemoryError', ''],
    ['rank 0 ', 'OutOfMemoryError', ''],
    ['', 'error', ' 0x1f'],
    ['', 'OOMKilled', ' 0/1'],
    ['[0] ', 'NCCL error', ' 2'],
  ])('%s%s%s says that it did', (before, message, after) => {
    expect(isUnset(before, message, after)).toBe(false);
  });
});

/** The names in the table: symbols, and what a pattern takes of an example where that is one word. */
const names = [
  ...new Set(
    signatures.flatMap((row) => [
      ...(row.symbol === null ? [] : [row.symbol]),
      ...row.patterns.flatMap((pattern) =>
        row.examples.flatMap((example) => /^[A-Za-z][\w.-]{3,60}$/.exec(pattern.exec(example)?.[0] ?? '')?.[0] ?? []),
      ),
    ]),
  ),
];

describe('the name of a message as a field without value', () => {
  const forms: readonly ((name: string) => string)[] = [
    (name) => `{"${name}":false,"Pid":1}`,
    (name) => `    "${name}": 0,`,
    (name) => `{"state":{"${name}": null}}`,
    (name) => `{"level":"info","${name}":""}`,
    (name) => `{"log":"{\\"${name}\\":false}"}`,
    (name) => `  ${name}: false`,
    (name) => `${name}=0`,
    (name) => `${name} 0`,
    (name) => `${name}    False`,
  ];

  it('is no message, whatever its name', () => {
    const wrong = names.flatMap((name) =>
      forms.flatMap((form) => {
        const text = form(name);
        const said = signaturesIn(text).filter(
          (id) =>
            signatures.find((row) => row.id === id)?.role !== 'info' &&
            signatures.find((row) => row.id === id)?.role !== 'benign',
        );
        return said.length === 0 ? [] : [`${text} → ${said.join(', ')}`];
      }),
    );
    expect(wrong).toEqual([]);
  });

  it('accuses nobody', () => {
    const text = `{"Status":"running","OOMKilled":false,"Error":"","ExitCode":0,${names
      .slice(0, 200)
      .map((name) => `"${name}":false`)
      .join(',')}}`;
    expect(verdictFor(text).findings).toEqual([]);
  });

  it('is one where it has a value', () => {
    expect(signaturesIn('{"OOMKilled":true,"Error":""}')).toContain('oom-killed-container');
  });
});
