// These files are loaded at the start: a night would load them later, when an update may have removed them.
import 'kysely/migration';
import '../src/embedded/embedded-postgres.ts';
import '../src/warehouse/migrations/migrations.ts';
import type { Clock } from '../src/model/clock.ts';
import { explain } from '../src/model/errors.ts';
import type { Night, NightEvent, TryEnd } from '../src/model/night.ts';
import { defaultTiming } from '../src/model/timing.ts';
import { type DueTimes, dueTimesOf } from '../src/pipeline/nights/due-times.ts';
import { keepNights, type NightOptions } from '../src/pipeline/nights/keep-nights.ts';
import { isNightWhole } from '../src/pipeline/nights/look-at-start.ts';
import type { LastMessage } from '../src/pipeline/nights/tell-night.ts';
import type { UnrecordedMessages } from '../src/pipeline/nights/tell-round.ts';
import { couldNotBegin, tryNight } from '../src/pipeline/nights/try-night.ts';
import { roundCouldNotBegin, tryRound } from '../src/pipeline/nights/try-round.ts';
import { type WaitUntil, waitOn } from '../src/pipeline/nights/wait-until.ts';
import { type Leadership, withLeadership } from '../src/pipeline/queue/leadership.ts';
import { isOrderedNightWhole, orderRound } from '../src/pipeline/queue/order-round.ts';
import { UnrecordedEnds } from '../src/pipeline/runs/unrecorded-ends.ts';
import { counted } from '../src/reporting/number-text.ts';
import { runProblem } from '../src/reporting/run-text.ts';
import { sources } from '../src/sources/registry.ts';
import { runJobFile } from './command-line.ts';
import { organizationsOf } from './enqueue.ts';
import type { Job, JobContext, JobResult } from './job.ts';
import { openContext } from './perform.ts';
import { readSettings } from './settings.ts';
import { watched } from './watched.ts';

const minuteMs = 60_000;

/**
 * Stays up and runs `nightly` on CRON_SCHEDULE, in UTC. A night is tried again, one try at a time, until it is complete.
 */
export const job = scheduleWaiting(waitOn);

/** Makes the job with another way to wait, for tests. */
export function scheduleWaiting(waiting: (clock: Clock) => WaitUntil): Job {
  return {
    name: 'schedule',
    description: 'stays up and runs nightly on CRON_SCHEDULE (UTC)',
    example: 'schedule',
    needsPlatform: ({ options }) => options.enqueue !== true,
    staysUp: true,
    options: (command) => command.option('--enqueue', 'order the nights for worker, and tell how they ended'),
    prepare({ options, problems }) {
      // An empty variable counts as missing.
      const given = process.env.CRON_SCHEDULE?.trim() || undefined;
      if (given !== undefined && dueTimesOf(given) === undefined)
        problems.push(
          `CRON_SCHEDULE: expected a cron expression such as "15 2 * * *", which comes due, got ${JSON.stringify(given)}`,
        );
      return async (context) => {
        const due = dueTimesOf(context.config.cronSchedule);
        if (due === undefined) throw new TypeError('expected CRON_SCHEDULE to be checked');
        const waitUntil = waiting(context.clock);
        if (options.enqueue === true) organizationsOf(context, 'schedule --enqueue');
        const enqueues = options.enqueue === true;
        return await watched(
          context,
          { due, usesQueue: enqueues },
          (watchedContext, { onNightEvent: onEvent }) =>
            enqueues
              ? orderNights(watchedContext, { due, waitUntil, onEvent })
              : schedule(watchedContext, { due, waitUntil, onEvent }),
        );
      };
    },
  };
}

/** Runs nights until a signal aborts the job. */
async function schedule(
  context: JobContext,
  { due, waitUntil, onEvent }: Pick<NightOptions, 'due' | 'waitUntil' | 'onEvent'>,
): Promise<JobResult> {
  const { config, log, clock, abort } = context;
  const memory: Memory = {
    told: {},
    ofOrganizations: new Map(),
    unrecorded: new UnrecordedEnds(context.timing),
    recording: undefined,
  };
  log.info({ schedule: config.cronSchedule }, 'keeping nights');
  const { tries, badTries } = await keepNights({
    due,
    clock,
    waitUntil,
    signal: abort.signal,
    retryMs: config.nightRetryMinutes * minuteMs,
    isWhole: (day) => isNightWhole(context, day),
    attempt: (night) => attempt(night, context, memory, due),
    onEvent(event) {
      onEvent(event);
      logEvent(context, event);
    },
  });
  await memory.recording?.stop();
  return {
    json: { runs: tries, failures: badTries },
    text: `Ended after ${counted(tries, 'run')}, ${badTries} of them with failures.`,
  };
}

/** What a try passes on to the next try. */
interface Memory {
  readonly told: LastMessage;
  /** Messages about organizations that the ledger does not know. */
  readonly ofOrganizations: UnrecordedMessages;
  readonly unrecorded: UnrecordedEnds;
  /** Records ends of runs in the background between two tries, if the last try could not record them. */
  recording: { stop(): Promise<void> } | undefined;
}

/** Does one try, with newly read settings. */
async function attempt(night: Night, context: JobContext, memory: Memory, due: DueTimes): Promise<TryEnd> {
  const { told, unrecorded } = memory;
  const { clock } = context;
  const retryMs = context.config.nightRetryMinutes * minuteMs;
  const telling = { here: told, nextTryMs: () => Math.min(clock() + retryMs, due.next(clock())) };
  await memory.recording?.stop();
  memory.recording = undefined;
  let renewed: JobContext;
  try {
    // Read the settings again: a changed key or password applies from the next try on.
    renewed = await openContext(await readSettings({ needsPlatform: true }), context.clock, context);
  } catch (error) {
    context.log.error({ reason: explain(error) }, 'nightly could not run');
    // The organizations that the file had at the start.
    if (context.config.organizations !== undefined)
      return roundCouldNotBegin(context, night, error, memory.ofOrganizations);
    return couldNotBegin(context, night, error, telling);
  }
  const { log, config } = renewed;
  if (config.organizations !== undefined) return round(night, { ...renewed, unrecorded }, memory);
  const { report, error, end } = await tryNight({ ...renewed, unrecorded }, night, sources, telling);
  // A try that could not begin must not end the schedule. It will be repeated.
  if (report === undefined) log.error({ reason: explain(error) }, 'nightly could not run');
  else {
    const problem = runProblem(report, explain(report.stoppedBy));
    if (problem !== undefined) log.error(problem);
    log.info({ ...report.summary }, 'nightly ended');
  }
  if (unrecorded.count > 0) memory.recording = unrecorded.recordWhenBack(config);
  return end;
}

/** Does one try for all organizations of ORGANIZATIONS_FILE that are not good yet. */
async function round(
  night: Night,
  context: JobContext & { readonly unrecorded: UnrecordedEnds },
  memory: Memory,
): Promise<TryEnd> {
  const { log, config, redact, unrecorded } = context;
  const { ends, error, end } = await tryRound(context, night, sources, memory.ofOrganizations);
  if (ends === undefined) log.error({ reason: explain(error) }, 'nightly could not run');
  for (const { name: organization, result, error: ofOne } of ends ?? []) {
    if (result === undefined)
      log.error({ organization, reason: redact(explain(ofOne)) }, 'nightly could not run');
    else log.info({ organization, ...result.report.summary }, 'nightly ended');
    if (result?.report.stoppedBy !== undefined)
      log.error({ organization, reason: result.report.error }, 'nightly was stopped');
  }
  if (unrecorded.count > 0) memory.recording = unrecorded.recordWhenBack(config);
  return end;
}

/** Keeps nights for workers until a signal aborts it. */
async function orderNights(
  context: JobContext,
  { due, waitUntil, onEvent }: Pick<NightOptions, 'due' | 'waitUntil' | 'onEvent'>,
): Promise<JobResult> {
  const { clock, log, config, abort } = context;
  log.info({ schedule: config.cronSchedule }, 'keeping nights for workers');
  const unrecorded: UnrecordedMessages = new Map();
  const { tries, badTries } = await withLeadership(context, (leadership) =>
    keepNights({
      due,
      clock,
      waitUntil,
      signal: abort.signal,
      retryMs: config.nightRetryMinutes * minuteMs,
      isWhole: (day) => isOrderedNightWhole(context, day),
      attempt: (night) => orderNight(night, context, { due, leadership, unrecorded }),
      onEvent(event) {
        onEvent(event);
        logEvent(context, event);
      },
    }),
  );
  return {
    json: { rounds: tries, failures: badTries },
    text: `Ended after ${counted(tries, 'round')}, ${badTries} of them with failures.`,
  };
}

/** Does one round, with newly read settings. Waits while another process orders the nights. */
async function orderNight(
  night: Night,
  context: JobContext,
  { due, leadership, unrecorded }: { due: DueTimes; leadership: Leadership; unrecorded: UnrecordedMessages },
): Promise<TryEnd> {
  const { clock, log, abort, timing = defaultTiming } = context;
  const nextDueMs = due.next(clock());
  try {
    await leadership.await();
    // The wait may have been long. The newest night fills the gaps of this one.
    if (clock() >= nextDueMs) return notTried;
    const settings = await readSettings({ needsPlatform: false });
    const renewed = await openContext(settings, clock, context);
    const untilMs = Math.min(nextDueMs, clock() + settings.nightRetryMinutes * minuteMs);
    return await orderRound(renewed, night, {
      unrecorded,
      untilMs,
      betweenLooksMs: timing.betweenQueueLooksMs / 5,
    });
  } catch (error) {
    if (!abort.signal.aborted) log.error({ reason: explain(error) }, 'the night could not be ordered');
    return notTried;
  }
}

const notTried: TryEnd = { verdict: 'early', status: 'pending', runId: null };

function logEvent({ log, clock }: JobContext, event: NightEvent): void {
  if (event.type === 'waiting' && event.nextTryMs > clock())
    log.info({ next: new Date(event.nextTryMs).toISOString() }, 'waiting for the next run');
}

if (import.meta.main) void runJobFile(job);
