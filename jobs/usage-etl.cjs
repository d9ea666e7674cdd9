#!/usr/bin/env -S MALLOC_ARENA_MAX=2 node --max-semi-space-size=8 --heap-growing-percent=100 --initial-old-space-size=32
/**
 * Starts the program. Any version of Node can run this file, so that an old version shows a clear error. Node accepts its
 * memory flags only on the command line (see bench/NOTES.md): without them, this process replaces itself by one with them.
 */
// On SIGUSR1 Node would start its inspector, which gives other users of the machine access. The flag --disable-sigusr1
// applies only to the process that is started below.
process.on('SIGUSR1', () => undefined);
require('./needs-node.cjs');
const { existsSync } = require('node:fs');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');

// A package has the bundle in this folder, a checkout has the TypeScript files.
const bundle = join(__dirname, 'usage-etl-bundle.cjs');
const isBuilt = existsSync(bundle);
const program = isBuilt ? bundle : join(__dirname, 'usage-etl.ts');
const flags = ['--max-semi-space-size=8', '--heap-growing-percent=100', '--initial-old-space-size=32'];
process.umask(0o077);
if (flags.every((flag) => process.execArgv.includes(flag))) {
  // `require` does not start the loader of ES modules, which the bundle does not need.
  if (isBuilt) require(program);
  else import(pathToFileURL(program).href);
} else {
  const commandLine = ['--disable-sigusr1', ...flags, program, ...process.argv.slice(2)];
  // The compile cache is beside the program, because others can write to the temporary directory. If its folder cannot
  // be written, Node runs without the cache.
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
