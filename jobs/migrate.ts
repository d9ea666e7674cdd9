import { AdministratorNeededError } from '../src/model/errors.ts';
import { sanitizeTexts } from '../src/model/sanitize.ts';
import { withUnmigratedWarehouse } from '../src/pipeline/runs/with-warehouse.ts';
import { counted } from '../src/reporting/number-text.ts';
import { withClient } from '../src/warehouse/connection/one-client.ts';
import { readRole, superuserProblem, superuserRemedy } from '../src/warehouse/connection/own-role.ts';
import { refuseUnsafePooler } from '../src/warehouse/connection/suitable-database.ts';
import { type MigrationState, migrationStatus } from '../src/warehouse/migrations/migration-status.ts';
import { migrate, queueStatus } from '../src/warehouse/migrations/migrations.ts';
import type { QueueState } from '../src/warehouse/queue/queue-schema.ts';
import { runJobFile } from './command-line.ts';
import { exitCode, type Job } from './job.ts';
import { tell } from './tell.ts';

/** Brings the database up to date with `sql/`. */
export const job: Job = {
  name: 'migrate',
  description: 'applies the migrations and views in sql/ to the database, all or nothing',
  example: 'migrate --status',
  needsPlatform: false,
  options: (command) =>
    command
      .option('--status', 'only list applied and pending migrations')
      .option('--drop-dependents', 'also drop objects of others that depend on a changed view'),
  prepare:
    ({ options }) =>
    async ({ config, log, redact, abort }) => {
      const opening = { ...config, maxConnections: 2, log, signal: abort.signal };
      try {
        return await withUnmigratedWarehouse(opening, async (warehouse) => {
          const ownWarnings: string[] = [];
          if (!warehouse.isEmbedded) {
            await refuseUnsafePooler(warehouse.pool);
            const role = await withClient(warehouse.pool, readRole);
            if (role.isSuperuser)
              ownWarnings.push(`DATABASE_URL: ${superuserProblem(role)}; ${superuserRemedy}`);
          }
          if (options.status === true) {
            const migrations = await migrationStatus(warehouse.pool);
            const queue = await queueStatus(warehouse.pool);
            const text = [
              ...migrations.map((migration) => `${inOneWord(migration)}  ${migration.name}`),
              queueInWords(queue),
            ].join('\n');
            return { json: { migrations, queue }, text };
          }
          const summary = await migrate(warehouse.pool, {
            lockTimeoutMs: config.lockTimeoutMs,
            dropDependents: options.dropDependents === true,
            queue: needsQueue(process.env) ? 'needed' : 'if-possible',
            signal: abort.signal,
            onWait: (sentence) => log.info(sentence),
          });
          const { applied, alreadyApplied, views, queue } = summary;
          if (queue === undefined)
            log.debug(
              'the queue of worker and enqueue was left out: its schema is missing, and the role may not create it',
            );
          const warnings = [...ownWarnings, ...summary.warnings];
          for (const warning of warnings) log.warn(warning);
          const text = [
            ...applied.map((name) => `applied  ${name}`),
            ...sanitizeTexts(views.dropped, redact).map((description) => `dropped  ${description}`),
            `${counted(applied.length, 'migration')} applied, ${alreadyApplied.length} were there; ` +
              `${counted(views.files, 'view')} up to date, ${views.changed.length} changed now`,
          ].join('\n');
          return {
            json: {
              applied,
              already_applied: alreadyApplied,
              views: views.files,
              views_changed: views.changed,
              dropped: views.dropped,
              ...(queue === undefined ? {} : { queue }),
              warnings,
            },
            text,
          };
        });
      } catch (error) {
        if (!(error instanceof AdministratorNeededError)) throw error;
        const { message, statements } = error;
        tell(redact(message));
        // The statements are not sanitized, so that they can be run: the name of a role may look like an e-mail.
        return {
          json: { status: 'failed', statements },
          error: redact(message),
          text: statements.join('\n'),
          verbatim: true,
          exitCode: exitCode.usage,
        };
      }
    },
};

/** `worker` and `enqueue` need this variable, so where it is set the queue is used. */
function needsQueue({ ORGANIZATIONS_FILE: file }: NodeJS.ProcessEnv): boolean {
  return (file ?? '').trim() !== '';
}

function queueInWords({ version, known }: QueueState): string {
  const word =
    version === 0 ? 'missing' : version < known ? 'pending' : version > known ? 'unknown' : 'applied';
  return `${word}  queue of worker and enqueue (migration ${version} of ${known} of its library)`;
}

function inOneWord({ applied, known, edited }: MigrationState): string {
  if (!known) return 'unknown';
  return edited ? 'edited ' : applied ? 'applied' : 'pending';
}

if (import.meta.main) void runJobFile(job);
