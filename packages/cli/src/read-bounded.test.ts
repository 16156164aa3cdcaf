import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readBounded } from './read-bounded.ts';

describe('a text file', () => {
  it('is read whole', () => {
    const folder = mkdtempSync(join(tmpdir(), 'bounded-'));
    const text = 'FROM ubuntu\n# ü\n'.repeat(20_000);
    writeFileSync(join(folder, 'Dockerfile'), text);
    expect(readBounded(join(folder, 'Dockerfile'))).toBe(text);
    rmSync(folder, { recursive: true });
  });

  it.runIf(process.platform === 'linux')('that never ends is cut', () =>
    expect(readBounded('/dev/zero').length).toBe(10 << 20),
  );
});
