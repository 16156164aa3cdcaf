import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'tests/**/*.test.ts'],
    exclude: ['tests/system/**', 'tests/real/**', '**/node_modules/**'],
    testTimeout: 30_000,
    pool: 'threads',
    // Core is pure: its hundreds of files need not load it anew each.
    isolate: false,
    // Two cores do twice as much as one; vitest alone would leave one of two idle.
    maxWorkers: Math.max(2, Math.floor(availableParallelism() * 0.75)),
  },
});
