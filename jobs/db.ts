import { withUnmigratedWarehouse } from '../src/pipeline/runs/with-warehouse.ts';
import { runJobFile } from './command-line.ts';
import type { Job } from './job.ts';
import { untilAborted } from './until-aborted.ts';

/** Keeps the embedded Postgres up, for psql and BI tools. */
export const job: Job = {
  name: 'db',
  description: 'keeps the embedded Postgres up and prints its URL',
  example: 'db --json',
  needsPlatform: false,
  staysUp: true,
  prepare:
    () =>
    ({ config, log, abort: { signal }, announce }) =>
      withUnmigratedWarehouse(
        { ...config, databaseUrl: undefined, maxConnections: 1, log, signal },
        async ({ url }) => {
          // The URL is shown with its password, which the user needs to connect. Only this command and `demo` show it.
          const told = { json: { url }, text: url, verbatim: true };
          await announce(told);
          await untilAborted(signal);
          return told;
        },
      ),
};

if (import.meta.main) void runJobFile(job);
