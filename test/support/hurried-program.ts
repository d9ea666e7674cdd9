/** The program with all its commands and `impatientTiming`: it gives up soon on servers that do not answer. */
import nodeModule from 'node:module';
import { fileURLToPath } from 'node:url';
import { jobs } from '../../jobs/all-jobs.ts';
import { programOf, runCommand } from '../../jobs/command-line.ts';
import { keepPrivate } from '../../jobs/keep-private.ts';
import { appVersion } from '../../src/model/version.ts';
import { impatientTiming } from './timing.ts';

const commandLine = process.argv.slice(2);

async function run(): Promise<void> {
  const asked = Object.entries(jobs).filter(([name]) => name === commandLine[0]);
  const loaded = await Promise.all(asked.map(([, load]) => load()));
  const all = loaded.map(({ job }) => job);
  await runCommand(programOf(all, appVersion, impatientTiming), commandLine);
}

keepPrivate();
nodeModule.enableCompileCache(fileURLToPath(new URL('../../.data/compile-cache', import.meta.url)));
void run();
