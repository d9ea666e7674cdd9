/** Events of a run as lines of the log. */
import type { RunEvent } from '../model/run.ts';
import { clocksInWords } from './clocks-text.ts';
import type { Log } from './log.ts';
import { figuresOfRequests, planInWords, stepsInWords } from './plan-text.ts';

/** Logs an event of a run; warnings and errors are for events about which somebody may have to do something. */
export function logEvent(log: Log, event: RunEvent): void {
  switch (event.type) {
    case 'planned':
      log.info(
        {
          slices: event.slices,
          organization: event.organizationId,
          ...(event.asking === undefined ? {} : figuresOfRequests(event.asking)),
        },
        planInWords(event),
      );
      break;
    case 'steps-planned':
      log.info({ ...event.steps, requests_at_least: event.requestsAtLeast }, stepsInWords(event));
      break;
    case 'slice-done':
      logSlice(log, event);
      break;
    case 'answers-drifted':
      logDrift(log, event);
      break;
    case 'slice-failed':
      // Logged together with other slices that failed for the same reason.
      break;
    case 'source-unavailable':
      if (event.isKnown) break;
      log.warn(
        { endpoint: event.slice.endpoint, reason: event.reason },
        'the platform does not offer this to the API key, and it was left out; a run fails of it only where `SOURCES` names it',
      );
      break;
    case 'retry':
      log.warn(
        { path: event.path, retry: event.retry, wait_ms: Math.round(event.waitMs), reason: event.reason },
        'request failed, trying again',
      );
      break;
    case 'window-split':
      log.warn(
        { endpoint: event.endpoint, days: event.days, new_days: event.newDays, reason: event.reason },
        'window was too large, asking for fewer days',
      );
      break;
    case 'check-done':
      log.debug(
        { check: event.check, compared: event.compared, contradictions: event.contradictions },
        'checked',
      );
      break;
    case 'check-failed':
      log.error({ check: event.check, part: event.part, reason: event.reason }, 'check failed');
      break;
    case 'limits-answered':
      if (event.notSet === 0) log.info({ set: event.set }, 'credit limits are set');
      else
        log.warn(
          { set: event.set, not_set: event.notSet, reason: event.reason },
          'credit limits are not set',
        );
      break;
    case 'waiting':
      log.warn(event.reason);
      break;
    case 'day-not-served':
      log.warn(clocksInWords(event));
      break;
    case 'organization-added': {
      const { organizationId, others, like } = event;
      log.warn(
        { organization: organizationId, others, ...(like === undefined ? {} : { like }) },
        `the platform names an organization that is new in this warehouse; it is loaded beside the others${
          like === undefined ? '' : ', from one of which it differs in white space or case only'
        }`,
      );
      break;
    }
    case 'persons-forgotten':
      log.info(
        { rows: event.rows, chunks: event.chunks },
        'forgotten persons were taken out of what is stored',
      );
      for (const slice of event.removed)
        log.warn(
          { slice },
          'what was archived could not be read, and was removed: it may have named somebody',
        );
      if (event.remembered.length > 0)
        log.warn(
          { columns: event.remembered },
          'the planner still remembers values of these columns, until their tables have rows and are analyzed',
        );
      break;
    case 'days-reopened':
      log.info(
        {
          slices: event.slices.length,
          endpoints: [...new Set(event.slices.map(({ endpoint }) => endpoint))],
        },
        'days that were believed to be empty are asked for again: another endpoint has rows of them',
      );
      break;
    case 'forgotten-by-address':
      log.warn(
        { forgotten: event.users },
        'users came with an e-mail that `forget-user` was asked to forget, and were forgotten',
      );
      break;
    case 'archive-removed':
      log.warn(
        { slice: event.slice },
        'what was archived could not be read, and was removed: it may have held e-mails',
      );
      break;
    case 'maintained':
      if (Object.values(event.deleted).some((rows) => rows > 0))
        log.info(event.deleted, 'removed what was older than it has to be kept');
      break;
    case 'maintenance-failed':
      log.warn(
        { reason: event.reason },
        'what is older than it has to be kept could not be removed; the next night tries again, and so does `maintenance`',
      );
      break;
    case 'sums-failed':
      log.warn(
        { reason: event.reason },
        'what this command wrote stands, but credits could not be summed by team; questions about teams are slower until the next run sums them',
      );
      break;
    case 'dead-runs-closed':
      log.warn({ run_ids: event.runIds }, 'closed runs of processes that died');
      break;
    case 'rows-not-archived':
      log.warn(
        { rows: event.rows },
        'rows that were kept for rejected records are in no archive: they could not be brought back; read their days again with `backfill --force`',
      );
      break;
    case 'database-reconnected':
      log.warn('the database connection was lost and made again');
      break;
  }
}

function logSlice(
  log: Log,
  { slice, outcome, rowsRead, drift }: Extract<RunEvent, { type: 'slice-done' }>,
): void {
  const figures = {
    endpoint: slice.endpoint,
    slice: slice.key,
    rows: rowsRead,
    inserted: outcome.inserted,
    updated: outcome.updated,
    deleted: outcome.deleted,
    rejected: outcome.rejected,
  };
  if (outcome.refused !== undefined) log.warn(figures, outcome.refused.reason);
  else log.debug(figures, `slice ${outcome.result}`);
  if (outcome.rejected > 0) log.warn({ ...figures }, 'rows were rejected, see etl.rejected_row');
  logDrift(log, { slice, drift });
}

function logDrift(
  log: Log,
  { slice, drift }: Pick<Extract<RunEvent, { type: 'answers-drifted' }>, 'slice' | 'drift'>,
): void {
  for (const { kind, path, occurrences, example } of drift)
    log.warn(
      { endpoint: slice.endpoint, slice: slice.key, kind, path, occurrences, example },
      'unexpected payload',
    );
}
