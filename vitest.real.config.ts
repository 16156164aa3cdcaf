import { defineConfig } from 'vitest/config';

// Tests against large public files, which are downloaded; what cannot be had is skipped with its reason.
export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: { include: ['tests/real/**/*.test.ts'], testTimeout: 900_000, hookTimeout: 900_000, fileParallelism: false },
});
