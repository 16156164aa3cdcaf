import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDocument, diagnose } from '../packages/core/src/index.ts';
import { causes } from '../packages/core/src/knowledge/causes.rows.ts';
import type { Verdict } from '../packages/core/src/index.ts';

interface Row {
  readonly id: string;
  readonly remark: boolean;
  readonly text: string;
  readonly expected: {
    readonly status: string;
    readonly layers: readonly string[];
    readonly cause: string;
    /** Further causes that are as right. */
    readonly also?: readonly string[];
    readonly owner: string;
  };
}

interface Result {
  readonly row: Row;
  readonly verdict: Verdict;
}

/** Shares that a set must reach, over the texts that a remark does not decide. */
const floors: Readonly<
  Record<string, { readonly status: number; readonly layer: number; readonly cause: number; readonly proved: number }>
> = {
  reported: { status: 0.95, layer: 0.95, cause: 0.92, proved: 0.5 },
  'reported-healthy': { status: 1, layer: 1, cause: 0.95, proved: 0 },
  written: { status: 0.9, layer: 0.88, cause: 0.84, proved: 0.4 },
  'written-later': { status: 0.9, layer: 0.88, cause: 0.84, proved: 0.4 },
  'written-last': { status: 0.92, layer: 0.9, cause: 0.9, proved: 0.5 },
  'extended-driver-orchestrator': { status: 0.93, layer: 0.95, cause: 0.83, proved: 0.5 },
  'extended-network-hardware': { status: 0.87, layer: 0.9, cause: 0.84, proved: 0.5 },
  'extended-program': { status: 0.95, layer: 0.95, cause: 0.9, proved: 0.3 },
  // One in six of these cannot be told, and so has no layer.
  'kernel-and-fabric': { status: 0.97, layer: 0.82, cause: 0.95, proved: 0.5 },
  // One text in twenty-three cannot be told, and so has no layer.
  'gathered-programs': { status: 0.96, layer: 0.91, cause: 0.88, proved: 0.45 },
  // One text in nineteen cannot be told, and so has no layer.
  'gathered-systems': { status: 0.92, layer: 0.88, cause: 0.9, proved: 0.45 },
  // One text in five cannot be told, and so has no layer.
  // One text in eight cannot be told, and so has no layer.
  'gathered-hosts': { status: 0.96, layer: 0.84, cause: 0.92, proved: 0.46 },
  'gathered-later': { status: 0.97, layer: 0.78, cause: 0.85, proved: 0.31 },
  'extended-chains': { status: 0.85, layer: 0.82, cause: 0.82, proved: 0.3 },
};

const squash = (text: string): string => text.replace(/\s+/g, ' ').trim();

function run(name: string): readonly Result[] {
  const rows = JSON.parse(
    readFileSync(join(import.meta.dirname, `../fixtures/corpus/${name}.json`), 'utf8'),
  ) as readonly Row[];
  return rows.map((row) => ({ row, verdict: diagnose([createDocument(row.text)]) }));
}

const innocent = ({ row }: Result): boolean =>
  row.expected.status === 'ok' || row.expected.status === 'not-stack-fault';
const layerRight = ({ row, verdict }: Result): boolean =>
  verdict.layer === null
    ? row.expected.status === 'ok' && verdict.status === 'ok'
    : row.expected.layers.includes(verdict.layer);
const causeRight = ({ row, verdict }: Result): boolean =>
  row.expected.status === 'ok'
    ? verdict.status === 'ok'
    : verdict.cause === row.expected.cause ||
      (verdict.cause !== null && row.expected.also?.includes(verdict.cause) === true);

describe.each(Object.keys(floors))('corpus %s', (name) => {
  const results = run(name);
  const plain = results.filter(({ row }) => !row.remark);
  const share = (test: (result: Result) => boolean): number => plain.filter(test).length / plain.length;

  it('accuses no healthy stack', () => {
    const accused = results
      .filter(innocent)
      .filter(
        ({ row, verdict }) =>
          verdict.status === 'fault' || (row.expected.status === 'ok' && verdict.status === 'performance'),
      );
    expect(accused.map(({ row, verdict }) => `${row.id}: ${verdict.cause}`)).toEqual([]);
  });

  it('calls no wrong layer proved', () => {
    const wrong = results.filter(
      (result) => result.verdict.certainty === 'proved' && result.verdict.layer !== null && !layerRight(result),
    );
    expect(wrong.map(({ row, verdict }) => `${row.id}: ${verdict.layer}/${verdict.cause}`)).toEqual([]);
  });

  it('answers only causes that the table lists', () => {
    const listed = new Set(causes.map((each) => each.cause));
    const others = results.flatMap(({ row, verdict }) =>
      verdict.cause === null || listed.has(verdict.cause) ? [] : [`${row.id}: ${verdict.cause}`],
    );
    expect(others).toEqual([]);
  });

  it('quotes only whole lines of the text, and accuses with proof', () => {
    for (const { row, verdict } of results) {
      const lines = new Set(row.text.split(/\r?\n/).map(squash));
      for (const finding of verdict.findings) {
        if (finding.certainty !== 'possible') expect(finding.evidence.length, row.id).toBeGreaterThan(0);
        for (const evidence of finding.evidence)
          expect(lines.has(squash(evidence.text)), `${row.id}: ${evidence.text}`).toBe(true);
      }
    }
  });

  it('reaches its shares of right answers', () => {
    const floor = floors[name]!;
    expect(
      share(({ row, verdict }) => verdict.status === row.expected.status),
      'status',
    ).toBeGreaterThanOrEqual(floor.status);
    expect(share(layerRight), 'layer').toBeGreaterThanOrEqual(floor.layer);
    expect(share(causeRight), 'cause').toBeGreaterThanOrEqual(floor.cause);
    expect(
      share((result) => result.verdict.certainty === 'proved' && layerRight(result)),
      'proved',
    ).toBeGreaterThanOrEqual(floor.proved);
  });
});
