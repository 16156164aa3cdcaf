import { describe, expect, it } from 'vitest';
import { culprit } from './run-cli.ts';

describe('culprit util without a series', () => {
  it.each([
    [
      'a list of processes, one of which has no reading',
      'gpu_uuid, pid, process_name, used_gpu_memory [MiB]\nGPU-0b9e41c7-5528-4d1f-8d02-6a7b13cc9f40, 1840388, [Not Found], [N/A]\n',
    ],
    ['a text that says nothing', 'hello\n'],
  ])('asks for one: %s', (_, text) => {
    const ran = culprit(['util', '-f', 'json', '-'], { input: text });
    const verdict = JSON.parse(ran.out) as { status: string; cause: string | null; unknown: { ask: string }[] };
    expect([ran.status, verdict.status, verdict.cause]).toEqual([3, 'cannot-tell', null]);
    expect(verdict.unknown[0]!.ask).toContain('nvidia-smi dmon');
  });
});
