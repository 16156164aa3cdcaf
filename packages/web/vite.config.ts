import { defineConfig } from 'vite';

/** Static files with relative addresses: any file server can serve them, under any path. */
export default defineConfig({
  base: './',
  resolve: { conditions: ['source', 'browser', 'module', 'import', 'default'] },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2022',
    outDir: 'dist',
    emptyOutDir: true,
    // What a view needs is fetched when it is opened, and nothing else.
    modulePreload: false,
    sourcemap: false,
    chunkSizeWarningLimit: 4000,
  },
  worker: { format: 'es' },
});
