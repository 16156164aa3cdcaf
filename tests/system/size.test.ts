import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { afterAll, describe, expect, it } from 'vitest';
import { scratch } from '../run-cli.ts';
import { lacks, shell } from './tools.ts';

const folder = scratch();
afterAll(folder.remove);
const message = 'RuntimeError: CUDA error: an illegal memory access was encountered';

async function write(name: string, parts: Iterable<string>): Promise<void> {
  const stream = createWriteStream(folder.path(name));
  for (const part of parts) if (!stream.write(part)) await once(stream, 'drain');
  stream.end();
  await once(stream, 'close');
}

/** Runs under GNU time; the peak of memory in MiB. */
function peak(name: string): { readonly status: number | null; readonly out: string; readonly mib: number } {
  const ran = shell(`/usr/bin/time -f 'peak %M' $culprit diagnose -f json ${name}`, { cwd: folder.path('') });
  return { status: ran.status, out: ran.out, mib: Number(/peak (\d+)/.exec(ran.err)?.[1] ?? 'NaN') / 1024 };
}

describe('huge inputs stay in bounded memory', () => {
  it.skipIf(lacks('time') !== null)('a log of 300 MB', async () => {
    const noise = Array.from(
      { length: 20_000 },
      (_, i) => `[rank${i % 8}]: 2026-11-30 10:00:00,123 - trainer - INFO - row ${i} of the batch\n`,
    ).join('');
    await write(
      'big.log',
      (function* () {
        for (let size = 0; size < 300e6; size += noise.length)
          yield size < 150e6 && size + noise.length >= 150e6 ? `${noise}${message}\n` : noise;
      })(),
    );
    const ran = peak('big.log');
    expect(JSON.parse(ran.out)).toMatchObject({ cause: 'illegal-access-app-bug' });
    expect(ran.mib).toBeLessThan(190);
  });

  it.skipIf(lacks('time') !== null)('one line of 400 MB', async () => {
    const part = 'x'.repeat(1_000_000);
    await write(
      'line.log',
      (function* () {
        for (let i = 0; i < 400; i++) yield i === 200 ? `${part} ${message} ` : part;
      })(),
    );
    const ran = peak('line.log');
    expect(JSON.parse(ran.out)).toMatchObject({ cause: 'illegal-access-app-bug' });
    expect(ran.mib).toBeLessThan(220);
  });

  it.skipIf(lacks('time', 'gzip') !== null)('a compression bomb of 1 GB', () => {
    shell(`(head -c 1000000000 /dev/zero | tr '\\0' 'a'; echo; echo '${message}') | gzip -1 > bomb.gz`, {
      cwd: folder.path(''),
    });
    const ran = peak('bomb.gz');
    expect(JSON.parse(ran.out)).toMatchObject({ cause: 'illegal-access-app-bug' });
    expect(ran.mib).toBeLessThan(260);
  });
});
