import { runJobFile } from './command-line.ts';
import { job as importPeople } from './imports/people.ts';
import type { JobFamily } from './job.ts';

/** Works on what is known of people beside what the platform says. */
export const job: JobFamily = {
  name: 'people',
  description: 'imports teams of people',
  example: 'people import people.csv',
  jobs: [importPeople],
};

if (import.meta.main) void runJobFile(job);
