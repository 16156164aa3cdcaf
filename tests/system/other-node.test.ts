import { existsSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { scratch } from '../run-cli.ts';
import { mismatch, shell } from './tools.ts';

const folder = scratch();
afterAll(folder.remove);

describe('a newer Node', () => {
  it('gives the same bytes', () => {
    const got = shell('npm install --no-audit --no-fund --silent --prefix . node@24', { cwd: folder.path('') });
    const node = folder.path('node_modules/node/bin/node');
    if (got.status !== 0 || !existsSync(node)) {
      console.warn(`skipping: Node 24 cannot be had from the package registry: ${got.err.trim().split('\n')[0]}`);
      return;
    }
    const run = (program: string): string => shell(`${program} $entry diagnose -f json -`, { input: mismatch }).out;
    expect(shell(`${node} --version`).out).toMatch(/^v24/);
    expect(run(node)).toBe(run(process.execPath));
    const zipped = shell(`printf '%s' '${mismatch.replaceAll("'", '')}' | gzip -c | ${node} $entry diagnose -`);
    expect(zipped.status).toBe(1);
  });
});
