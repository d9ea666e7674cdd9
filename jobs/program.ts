/** The program: one command per job. Only the job that is asked for is loaded, so that the program starts quickly. */
import { appVersion } from '../src/model/version.ts';
import { programOf } from './command-line.ts';
import type { Job } from './job.ts';

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

const loaded = await Promise.all(loaders.map((load) => load()));
await programOf(
  loaded.map(({ job }) => job),
  appVersion,
)(commandLine);
