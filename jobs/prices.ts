import { runJobFile } from './command-line.ts';
import { job as importPrices } from './imports/prices.ts';
import type { JobFamily } from './job.ts';

/** The jobs about prices of credits. */
export const job: JobFamily = {
  name: 'prices',
  description: 'imports prices of credits from a CSV file',
  example: 'prices import prices.csv',
  jobs: [importPrices],
};

if (import.meta.main) void runJobFile(job);
