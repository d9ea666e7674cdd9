/** The program: one command per job. Only the job that is asked for is loaded, so that the program starts quickly. */
import { Command } from 'commander';
import { appVersion } from '../src/model/version.ts';
import { commandOf, type Job, runCommand } from './job.ts';

const jobs: Readonly<Record<string, () => Promise<{ job: Job }>>> = {
  migrate: () => import('./migrate.ts'),
  nightly: () => import('./nightly.ts'),
  backfill: () => import('./backfill.ts'),
  replay: () => import('./replay.ts'),
  verify: () => import('./verify.ts'),
  status: () => import('./status.ts'),
  schedule: () => import('./schedule.ts'),
  simulate: () => import('./simulate.ts'),
  demo: () => import('./demo.ts'),
  db: () => import('./db.ts'),
};

const commandLine = process.argv.slice(2);
const asked = commandLine.find((word) => !word.startsWith('-'));
const wanted = asked === undefined ? undefined : jobs[asked];
const loaders = wanted === undefined ? Object.values(jobs) : [wanted];

const program = new Command('usage-etl')
  .description("Loads a software-agent platform's usage analytics into a Postgres warehouse.")
  .version(appVersion);
for (const load of loaders) {
  const { job } = await load();
  program.addCommand(
    commandOf(job, (code) => {
      process.exitCode = code;
    }),
  );
}
await runCommand(program, commandLine);
