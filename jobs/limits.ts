import { runJobFile } from './command-line.ts';
import type { JobFamily } from './job.ts';
import { job as apply } from './limits/apply.ts';
import { job as history } from './limits/history.ts';
import { job as suggest } from './limits/suggest.ts';

/** The jobs about credit limits of users. */
export const job: JobFamily = {
  name: 'limits',
  description: 'sets credit limits of single users, suggests them, and lists changes',
  example: 'limits suggest --days 28 --headroom 1.5 --out limits.csv',
  jobs: [apply, history, suggest],
};

if (import.meta.main) void runJobFile(job);
