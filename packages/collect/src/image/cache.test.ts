import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LayerScan } from '@culprit/core/image/model';
import { LayerCache } from './cache.ts';

const digest = `sha256:${'a'.repeat(64)}`;
const scan: LayerScan = {
  digest,
  diffId: null,
  bytes: 1,
  unpackedBytes: 1,
  entries: [],
  whiteouts: [],
  opaque: [],
  left: [],
};

describe('the folder of the cache', () => {
  it('is made with its parents', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cache-'));
    const cache = new LayerCache(join(folder, 'a/b'), false);
    await cache.keep(digest, scan);
    expect([readdirSync(join(folder, 'a/b')).length, cache.notes]).toEqual([1, []]);
    expect(await cache.find(digest)).toEqual(scan);
    rmSync(folder, { recursive: true });
  });

  it.runIf(process.platform === 'linux')('that cannot be made is said', async () => {
    const cache = new LayerCache('/proc/none/cache', false);
    await cache.keep(digest, scan);
    expect(cache.notes.length).toBe(1);
  });
});
