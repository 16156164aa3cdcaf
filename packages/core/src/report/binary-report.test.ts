import { describe, expect, it } from 'vitest';
import { inspectPlain } from '../binary/inspect.ts';
import { sourceOf } from '../binary/parts.ts';
import { makeElf, makeFatbin } from '../binary/testing.ts';
import { binaryMarkdown, binaryText } from './binary-report.ts';

describe('a report of very many kernels', () => {
  it('is printed line by line', async () => {
    const bytes = makeElf({ fatbin: makeFatbin([{ kind: 'cubin', sm: 90 }]) });
    const found = await inspectPlain(sourceOf(bytes), 'libfoo.so', { kernels: 'none' });
    const kernel = {
      name: 'k',
      demangled: 'k',
      arch: 'sm_90',
      registers: 8,
      staticShared: 0,
      local: 0,
      constant: 0,
      barriers: 0,
      maxThreads: null,
    };
    const file = { ...found!.file, kernels: Array.from({ length: 200_000 }, () => kernel as never) };
    const report = { schema: 'culprit/binary@1', files: [file], unread: [] } as never;
    const options = { kernels: true, on: null, color: false };
    expect(binaryText(report, options).split('\n').length).toBeGreaterThan(200_000);
    expect(binaryMarkdown(report, options).split('\n').length).toBeGreaterThan(200_000);
  });
});
