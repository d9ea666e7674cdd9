/** The program: one command per job. */
import { appVersion } from '../src/model/version.ts';
import { jobs } from './all-jobs.ts';
import { programOf, runCommand } from './command-line.ts';

const commandLine = process.argv.slice(2);
const all: typeof jobs = { ...jobs, completion: () => import('./completion.ts') };
const asked = commandLine.find((word) => !word.startsWith('-'));
const wanted = asked === undefined || !Object.hasOwn(all, asked) ? undefined : all[asked];
const loaders = wanted === undefined ? Object.values(all) : [wanted];
void run();

async function run(): Promise<void> {
  const loaded = await Promise.all(loaders.map((load) => load()));
  const program = programOf(
    loaded.map(({ job }) => job),
    appVersion,
  );
  await runCommand(program, commandLine);
}
