// Else loaded when a night needs them, which may be after an update has taken their files away.
import 'kysely/migration';
import '../src/embedded/embedded-postgres.ts';
import '../src/warehouse/migrations/migrations.ts';
import { createTask, validate } from 'node-cron';
import { yesterday } from '../src/model/day.ts';
import { explain } from '../src/model/errors.ts';
import { counted } from '../src/reporting/number-text.ts';
import { sources } from '../src/sources/registry.ts';
import { runJobFile } from './command-line.ts';
import type { Job } from './job.ts';
import { runNightly } from './nightly.ts';
import { openContext } from './perform.ts';
import { readSettings } from './settings.ts';
import { untilAborted } from './until-aborted.ts';

/** Stays up and runs `nightly` on CRON_SCHEDULE, in UTC, never twice at once. */
export const job: Job = {
  name: 'schedule',
  description: 'stays up and runs nightly on CRON_SCHEDULE (UTC)',
  example: 'schedule',
  needsPlatform: true,
  staysUp: true,
  prepare({ problems }) {
    const schedule = process.env.CRON_SCHEDULE ?? '';
    if (schedule.trim() !== '' && !validate(schedule))
      problems.push(
        `CRON_SCHEDULE: expected a cron expression such as "15 2 * * *", got ${JSON.stringify(schedule)}`,
      );
    return async (context) => {
      const { config, log, abort, clock } = context;
      let runs = 0;
      let failures = 0;
      let current: Promise<void> = Promise.resolve();
      const night = async () => {
        runs += 1;
        try {
          // Whoever changes a key or a password changes a file: it holds from the next night on.
          const renewed = await openContext(readSettings(true), clock, context);
          const { summary, stoppedBy } = await runNightly(withOwnAbort(renewed), yesterday(clock), sources);
          log.info({ ...summary }, 'nightly ended');
          if (summary.status === 'succeeded') return;
          failures += 1;
          if (stoppedBy !== undefined) log.error(explain(stoppedBy));
        } catch (error) {
          // A night that could not even begin must not end the schedule: the next one fills the gap.
          failures += 1;
          log.error({ reason: explain(error) }, 'nightly could not run');
        }
      };
      const task = createTask(
        config.cronSchedule,
        () => {
          current = night();
          return current;
        },
        { timezone: 'UTC', noOverlap: true, logger: log },
      );
      await task.start();
      log.info(
        { schedule: config.cronSchedule, next: task.getNextRun()?.toISOString() },
        'waiting for the next run',
      );
      await untilAborted(abort.signal);
      await task.destroy();
      await current;
      return {
        json: { runs, failures },
        text: `Ended after ${counted(runs, 'run')}, ${failures} of them with failures.`,
      };
    };
  },
};

/** A run that must stop early aborts itself, not the schedule; a signal to the schedule aborts the run. */
function withOwnAbort<Context extends { readonly abort: AbortController }>(context: Context): Context {
  const abort = new AbortController();
  context.abort.signal.addEventListener('abort', () => abort.abort(context.abort.signal.reason), {
    once: true,
  });
  return { ...context, abort };
}

if (import.meta.main) void runJobFile(job);
