#!/usr/bin/env -S MALLOC_ARENA_MAX=2 node --max-semi-space-size=8 --heap-growing-percent=100 --initial-old-space-size=32
/**
 * Starts the program: JavaScript that any Node reads, so that one that is too old gets a sentence. Node takes flags for
 * memory from its command line only (see bench/NOTES.md): without them, this process becomes one that has them.
 */
// Node's inspector would hand this process to whoever is on the machine, and the flag against it comes with the program.
process.on('SIGUSR1', () => undefined);
require('./needs-node.cjs');
const { existsSync } = require('node:fs');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');

// Beside this file lies the bundle, or the sources do.
const bundle = join(__dirname, 'usage-etl-bundle.cjs');
const isBuilt = existsSync(bundle);
const program = isBuilt ? bundle : join(__dirname, 'usage-etl.ts');
const flags = ['--max-semi-space-size=8', '--heap-growing-percent=100', '--initial-old-space-size=32'];
process.umask(0o077);
if (flags.every((flag) => process.execArgv.includes(flag))) {
  // Without the loader of modules, where it is not needed.
  if (isBuilt) require(program);
  else import(pathToFileURL(program).href);
} else {
  const commandLine = ['--disable-sigusr1', ...flags, program, ...process.argv.slice(2)];
  // Beside the program, not in a temporary directory that others can write to. Where it cannot be written, Node goes without.
  const environment = {
    MALLOC_ARENA_MAX: '2',
    NODE_COMPILE_CACHE: join(__dirname, '../.data/compile-cache'),
    ...process.env,
  };
  if (process.platform === 'win32') {
    const { spawnSync } = require('node:child_process');
    const { status } = spawnSync(process.execPath, commandLine, { stdio: 'inherit', env: environment });
    process.exitCode = status === null ? 1 : status;
  } else process.execve(process.execPath, [process.execPath, ...commandLine], environment);
}
