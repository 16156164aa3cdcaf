import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { examine } from '@culprit/core/diagnose/diagnose';
import { createDocument } from '@culprit/core/text/document';
import { framedText, snapshotOfFramed } from '@culprit/core/text/framed';
import { expectedOf, makeRoot, rootNames } from './roots.ts';

// Every kind of machine, through the real probe, in every shell that is here.

const script = join(import.meta.dirname, '../probe/probe.sh');
const shells = [['sh'], ['dash'], ['busybox', 'sh'], ['mksh'], ['bash', '--posix']].filter(([program]) =>
  ['/bin', '/usr/bin'].some((folder) => existsSync(join(folder, program!))),
);
const made = new Map<string, string>();
const rootOf = (name: string): string => {
  const known = made.get(name) ?? makeRoot(name);
  made.set(name, known);
  return known;
};
afterAll(() => {
  for (const root of made.values()) rmSync(root, { recursive: true, force: true });
});

/** The text of the probe without what differs from run to run. */
const stable = (text: string): string =>
  text
    .replaceAll(/ ms=\d+/g, '')
    .replace(/^@culprit-probe.*/, '')
    .replaceAll(/ (?:[A-Z][a-z]{2} ?\d? ?\d\d? \d\d:\d\d|\d{4}-\d\d-\d\d \d\d:\d\d) /g, ' ');

describe.each(rootNames())('a root of the kind %s', (name) => {
  const expected = expectedOf(name);
  const texts = new Map<string, string>();

  it.each(shells.map((shell) => shell.join(' ')))('has its verdict through %s', (shell) => {
    const [program = 'sh', ...options] = shell.split(' ');
    const text = execFileSync(program, [...options, script, '--root', rootOf(name)], { encoding: 'utf8' });
    texts.set(shell, stable(text));
    const { verdict, store } = examine([createDocument(text)]);
    expect(
      verdict.headline && { status: verdict.status, cause: expected.cause === undefined ? undefined : verdict.cause },
    ).toEqual({
      status: expected.status,
      cause: expected.cause,
    });
    if (expected.certainty !== undefined) expect(verdict.certainty).toBe(expected.certainty);
    for (const [id, value] of Object.entries(expected.facts ?? {}))
      expect(store.all(id as 'driver.module').map((fact) => fact.value)).toContain(value);
    for (const loads of expected.loads ?? [])
      expect(store.all('loader.loads').map((fact) => fact.value)).toContainEqual(expect.objectContaining(loads));
    // Nothing of the place where the root stands is printed as if it belonged to it.
    expect(text.split('\n').filter((line) => line.startsWith('|') && line.includes(rootOf(name)))).toEqual([]);
    const snapshot = snapshotOfFramed(text, 'x')!;
    expect(examine([createDocument(framedText(snapshot))]).verdict).toEqual(verdict);
  });

  it('says the same in every shell', () => {
    expect(new Set(texts.values()).size).toBe(1);
  });
});

describe('a container with the driver’s files', () => {
  it.each(['cdi-container', 'legacy-container'])('but without device nodes is not called sound: %s', (name) => {
    const root = makeRoot(name);
    for (const node of readdirSync(join(root, 'dev'))) if (node.startsWith('nvidia')) rmSync(join(root, 'dev', node));
    const text = execFileSync('sh', [script, '--root', root], { encoding: 'utf8' });
    const { verdict } = examine([createDocument(text)]);
    rmSync(root, { recursive: true, force: true });
    expect([verdict.status, verdict.cause]).toEqual(['fault', 'runtime-omits-device-nodes']);
  });
});
