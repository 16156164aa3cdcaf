import { defineConfig } from 'vitest/config';

// Tests against real programs of the system; scripts/test-system.mjs installs what they need.
export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: { include: ['tests/system/**/*.test.ts'], testTimeout: 180_000, hookTimeout: 180_000, fileParallelism: false },
});
