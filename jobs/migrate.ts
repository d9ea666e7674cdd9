import { AdministratorNeededError } from '../src/model/errors.ts';
import { throughDoor } from '../src/model/foreign-text.ts';
import { openWarehouse } from '../src/pipeline/open-warehouse.ts';
import { refuseTransactionPooler } from '../src/warehouse/connection/suitable-database.ts';
import { type MigrationState, migrationStatus } from '../src/warehouse/migrations/migration-status.ts';
import { migrate } from '../src/warehouse/migrations/migrations.ts';
import { exitCode, type Job, runJobFile } from './job.ts';

/** Brings the database up to date with `sql/`. */
export const job: Job = {
  name: 'migrate',
  description: 'applies the migrations and views in sql/ to the database',
  needsPlatform: false,
  options: (command) =>
    command
      .option('--status', 'only list what is applied and what is not')
      .option('--drop-dependents', 'let a changed view take with it what others have built on it'),
  async run({ config, log, redact, abort }, options) {
    const warehouse = await openWarehouse({
      ...config,
      maxConnections: 2,
      signal: abort.signal,
      log,
    });
    try {
      if (!warehouse.isEmbedded) await refuseTransactionPooler(warehouse.pool);
      if (options.status === true) {
        const migrations = await migrationStatus(warehouse.pool);
        const text = migrations.map((migration) => `${inOneWord(migration)}  ${migration.name}`).join('\n');
        return { json: { migrations }, text };
      }
      const summary = await migrate(warehouse.pool, {
        lockTimeoutMs: config.lockTimeoutMs,
        dropDependents: options.dropDependents === true,
        signal: abort.signal,
        onWait: (sentence) => log.info(sentence),
      });
      const { applied, alreadyApplied, views } = summary;
      const text = [
        ...applied.map((name) => `applied  ${name}`),
        ...throughDoor(views.dropped, redact).map((description) => `dropped  ${description}`),
        `${applied.length} migrations applied, ${alreadyApplied.length} were there; ` +
          `${views.files} views are up to date, ${views.changed.length} of them were changed now`,
      ].join('\n');
      return {
        json: {
          applied,
          already_applied: alreadyApplied,
          views: views.files,
          views_changed: views.changed,
          dropped: views.dropped,
        },
        text,
      };
    } catch (error) {
      if (!(error instanceof AdministratorNeededError)) throw error;
      const { message, statements } = error;
      process.stderr.write(`usage-etl: ${redact(message)}\n`);
      // As they are, so that they can be run: the name of a role may look like an e-mail.
      return {
        json: { status: 'failed', error: redact(message), statements },
        text: statements.join('\n'),
        verbatim: true,
        exitCode: exitCode.usage,
      };
    } finally {
      await warehouse.close();
    }
  },
};

function inOneWord({ applied, known, edited }: MigrationState): string {
  if (!known) return 'unknown';
  return edited ? 'edited ' : applied ? 'applied' : 'pending';
}

if (import.meta.main) await runJobFile(job);
