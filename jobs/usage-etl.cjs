#!/usr/bin/env node
/**
 * Starts the program: JavaScript that any Node reads, so that one that is too old gets a sentence. Then this process
 * becomes the program, with what Node takes from its command line only; for the memory flags see bench/NOTES.md.
 */
// Node's inspector would hand this process to whoever is on the machine, and the flag against it comes with the program.
process.on('SIGUSR1', () => undefined);
require('./needs-node.cjs');
const { existsSync } = require('node:fs');
const { join } = require('node:path');

// Beside this file lies the bundle, or the sources do.
const bundle = join(__dirname, 'usage-etl.js');
const program = existsSync(bundle) ? bundle : join(__dirname, 'usage-etl.ts');
const commandLine = [
  '--disable-sigusr1',
  '--max-semi-space-size=8',
  '--heap-growing-percent=100',
  program,
  ...process.argv.slice(2),
];
process.umask(0o077);
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
