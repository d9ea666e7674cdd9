import { openWarehouse } from '../src/pipeline/open-warehouse.ts';
import { type Job, runJobFile } from './job.ts';
import { untilAborted } from './until-aborted.ts';

/** Keeps the embedded Postgres up, for psql and BI tools. */
export const job: Job = {
  name: 'db',
  description: 'keeps the embedded Postgres up and prints its URL',
  needsPlatform: false,
  async run({ config, log, abort, json }) {
    const warehouse = await openWarehouse({
      ...config,
      databaseUrl: undefined,
      maxConnections: 1,
      log,
    });
    try {
      // Whoever asks for it needs the password: this is the one place that shows it.
      if (!json) process.stdout.write(`${warehouse.url}\n`);
      await untilAborted(abort.signal);
      return { json: { url: warehouse.url }, text: '', verbatim: true };
    } finally {
      await warehouse.close();
    }
  },
};

if (import.meta.main) await runJobFile(job);
