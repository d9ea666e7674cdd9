import { runJobFile } from './command-line.ts';
import { job as create } from './computers/create.ts';
import { job as installDeps } from './computers/install-deps.ts';
import { job as list } from './computers/list.ts';
import { job as show } from './computers/show.ts';
import { job as update } from './computers/update.ts';
import type { JobFamily } from './job.ts';

/** The jobs about the persistent computers of the organization. */
export const job: JobFamily = {
  name: 'computers',
  description: "lists, shows, creates and changes the organization's computers",
  details: ['They need no database.'],
  example: 'computers list',
  jobs: [list, show, create, update, installDeps],
};

if (import.meta.main) void runJobFile(job);
