import { openWarehouse } from '../src/pipeline/open-warehouse.ts';
import { migrationStatus } from '../src/warehouse/migrations/migration-status.ts';
import { migrate } from '../src/warehouse/migrations/migrations.ts';
import { type Job, runJobFile } from './job.ts';

/** Brings the database up to date with `sql/`. */
export const job: Job = {
  name: 'migrate',
  description: 'applies the migrations and views in sql/ to the database',
  needsPlatform: false,
  options: (command) => command.option('--status', 'only list what is applied and what is not'),
  async run({ config, log, abort }, options) {
    const warehouse = await openWarehouse({
      databaseUrl: config.databaseUrl,
      maxConnections: 2,
      log,
    });
    try {
      if (options.status === true) {
        const migrations = await migrationStatus(warehouse.pool);
        const text = migrations
          .map(({ name, applied }) => `${applied ? 'applied' : 'pending'}  ${name}`)
          .join('\n');
        return { json: { migrations }, text };
      }
      const summary = await migrate(warehouse.pool, {
        lockTimeoutMs: config.lockTimeoutMs,
        signal: abort.signal,
        onWait: (sentence) => log.info(sentence),
      });
      const { applied, alreadyApplied, views } = summary;
      const text = [
        ...applied.map((name) => `applied  ${name}`),
        `${applied.length} migrations applied, ${alreadyApplied.length} were there, ${views} views are up to date`,
      ].join('\n');
      return { json: { applied, already_applied: alreadyApplied, views }, text };
    } finally {
      await warehouse.close();
    }
  },
};

if (import.meta.main) await runJobFile(job);
