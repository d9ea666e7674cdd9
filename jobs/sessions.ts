import { runJobFile } from './command-line.ts';
import type { JobFamily } from './job.ts';
import { job as add } from './sessions/add.ts';
import { job as hook } from './sessions/hook.ts';
import { job as load } from './sessions/load.ts';
import { job as show } from './sessions/show.ts';

/** The jobs about messages of agent sessions. */
export const job: JobFamily = {
  name: 'sessions',
  description: 'registers, loads and shows the messages of agent sessions',
  example: 'sessions load session_000000001',
  jobs: [add, load, hook, show],
};

if (import.meta.main) void runJobFile(job);
