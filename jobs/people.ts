import { runJobFile } from './command-line.ts';
import { job as importPeople } from './imports/people.ts';
import type { JobFamily } from './job.ts';

/** The jobs about data on people that the platform does not have. */
export const job: JobFamily = {
  name: 'people',
  description: 'imports teams of people from a CSV file',
  example: 'people import people.csv',
  jobs: [importPeople],
};

if (import.meta.main) void runJobFile(job);
