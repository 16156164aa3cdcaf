import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scratch } from '../run-cli.ts';
import { lacks, mismatch, shell } from './tools.ts';

const folder = scratch();
afterAll(folder.remove);
const cwd = folder.path('');

beforeAll(() => {
  writeFileSync(folder.path('job.log'), mismatch);
  const noise = Array.from({ length: 100_000 }, (_, i) => `row ${i} ${(i * 2654435761) % 4294967296}\n`);
  noise.splice(50_000, 0, mismatch);
  writeFileSync(folder.path('long.log'), noise.join(''));
});

describe('logs that real programs compressed', () => {
  it.skipIf(lacks('gzip', 'zstd') !== null).each([
    ['gzip', 'gzip -c job.log > job.gz', 'job.gz'],
    ['gzip -9 of a long log', 'gzip -9c long.log > long.gz', 'long.gz'],
    ['two gzip files in one', '(gzip -c long.log; gzip -c job.log) > two.gz', 'two.gz'],
    ['zstd', 'zstd -qc job.log > job.zst', 'job.zst'],
    ['zstd -19 --long', 'zstd -19 --long=27 -qc long.log > long.zst', 'long.zst'],
    ['zstd without a size in its header', 'cat long.log | zstd -q > stream.zst', 'stream.zst'],
    ['two zstd frames', '(zstd -qc job.log; zstd -qc long.log) > frames.zst', 'frames.zst'],
  ])('%s', (name, make, file) => {
    expect(shell(make, { cwd }).status).toBe(0);
    for (const script of [`$culprit diagnose ${file}`, `cat ${file} | $culprit diagnose`]) {
      const ran = shell(script, { cwd });
      expect(ran.err).toBe('');
      expect(ran.out).toContain('570.124.06');
      expect(ran.status).toBe(1);
    }
  });

  it.skipIf(lacks('xz', 'bzip2') !== null).each([
    ['xz', 'xz -kc job.log > job.xz', 'job.xz'],
    ['bzip2', 'bzip2 -kc job.log > job.bz2', 'job.bz2'],
  ])('%s is read by the program that packed it; without it, what helps is said', (tool, make, file) => {
    shell(make, { cwd });
    expect(shell(`$culprit diagnose ${file}`, { cwd }).status).toBe(1);
    const ran = shell(`PATH=/nowhere $culprit diagnose ${file}`, { cwd });
    expect(ran.status).toBe(4);
    expect(ran.err).toContain(`${tool} -dc`);
  });

  it.skipIf(lacks('zstd') !== null)('what is left of a truncated zstd file is read', () => {
    shell('zstd -qc long.log > cut.full; head -c $(( $(stat -c %s cut.full) * 3 / 4 )) cut.full > cut.zst', { cwd });
    const ran = shell('$culprit diagnose cut.zst', { cwd });
    expect(ran.status).toBe(1);
    expect(ran.out).toContain('compressed data');
  });
});
