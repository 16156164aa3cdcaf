import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { diagnose } from '../packages/core/src/diagnose/diagnose.ts';
import { verdictJson } from '../packages/core/src/report/json-report.ts';
import { createDocument } from '../packages/core/src/text/document.ts';
import { culprit, root } from './run-cli.ts';

const ajv = new Ajv2020({ strict: false });
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
const schemas = new Map<string, ValidateFunction>(
  readdirSync(join(root, 'packages/cli/schemas')).map((name) => {
    const schema = JSON.parse(readFileSync(join(root, 'packages/cli/schemas', name), 'utf8')) as { $id: string };
    return [schema.$id, ajv.compile(schema)];
  }),
);

/** Every answer in a text of JSON fits the schema that it names. */
function fits(text: string, id: string): void {
  const value: unknown = JSON.parse(text);
  for (const answer of Array.isArray(value) ? (value as readonly unknown[]) : [value]) {
    expect((answer as { schema: string }).schema).toBe(id);
    const validate = schemas.get(id);
    expect(validate, `there is no schema ${id}`).toBeDefined();
    validate!(answer);
    expect(validate!.errors ?? []).toEqual([]);
  }
}

describe('what is printed as JSON fits the published schemas', () => {
  it.each([
    [
      ['diagnose', '-f', 'json', '-'],
      'culprit/verdict@1',
      'NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.\n',
    ],
    [['judge', '-f', 'json', 'torch 2.7.0+cu128 on driver 550.54.15 with V100'], 'culprit/judgement@1', ''],
    [['judge', '-f', 'json', 'CUDA 13 needs driver 580'], 'culprit/judgement@1', ''],
    [['judge', '-f', 'json', 'nothing that anybody could read'], 'culprit/judgement@1', ''],
    [['judge', '-f', 'json', '--driver', '535.183.01', '--gpu', 'H100'], 'culprit/reverse@1', ''],
    [['judge', '-f', 'json', '--matrix', '--gpu', 'H100'], 'culprit/matrix@1', ''],
    [['explain', '-f', 'json', 'xid', '79'], 'culprit/topic@1', ''],
    [['explain', '-f', 'json', 'driver/kmod-userspace-mismatch-after-upgrade'], 'culprit/topic@1', ''],
    [['explain', '-f', 'json', '3'], 'culprit/topics@1', ''],
    [['explain', '-f', 'json'], 'culprit/concepts@1', ''],
    [['knowledge', '-f', 'json'], 'culprit/knowledge@1', ''],
    [['occupancy', '-f', 'json', '--gpu', 'H100', '--block', '256', '--registers', '64'], 'culprit/occupancy@1', ''],
    [
      ['occupancy', '-f', 'json', '--gpu', 'H100', '-b', '256', '--grid', '264', '--cluster', '2', '--curve', 'all'],
      'culprit/occupancy@1',
      '',
    ],
    [['occupancy', '-f', 'json', '--gpu', 'H100', '-b', '1024', '-r', '65'], 'culprit/occupancy@1', ''],
    [['occupancy', '-f', 'json', '--from', 'examples/kernels.csv'], 'culprit/occupancies@1', ''],
    [['trace', '-f', 'json', 'examples/kernels.csv'], 'culprit/verdict@1', ''],
    [['explain', '-f', 'json', 'waves', '--gpu', 'H100', '--grid', '133'], 'culprit/topic@1', ''],
    [['explain', '-f', 'json', 'achieved', 'occupancy'], 'culprit/topic@1', ''],
    [['binary', '-f', 'json', 'fixtures/binaries', '--on', 'H100'], 'culprit/binary@1', ''],
    [['diff', '-f', 'json', 'examples/nccl-fast.log', 'examples/nccl-slow.log'], 'culprit/diff@1', ''],
    [['diff', '-f', 'json', 'examples/upgrade-under-load.txt', 'examples/healthy-dump.txt'], 'culprit/diff@1', ''],
    [['diff', '-f', 'json', 'examples/nccl-slow.log', '--platform', '2xNDR'], 'culprit/diff@1', ''],
  ])('%j', (args, id, input) => {
    const ran = culprit(args, { input });
    expect([0, 1, 3]).toContain(ran.status);
    fits(ran.out, id);
  });

  const corpus = join(root, 'fixtures/corpus');
  it.each(readdirSync(corpus).filter((name) => name.endsWith('.json')))('the verdicts of %s', (name) => {
    const cases = JSON.parse(readFileSync(join(corpus, name), 'utf8')) as readonly { readonly text: string }[];
    expect(cases.length).toBeGreaterThan(0);
    for (const { text } of cases)
      fits(verdictJson(diagnose([createDocument(text, { file: '-' })])), 'culprit/verdict@1');
  });
});
