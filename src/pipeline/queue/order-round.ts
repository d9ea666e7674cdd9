/** A try of a night by `schedule --enqueue`: orders it for all organizations that are not whole, and tells how it ended. */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Config } from '../../model/config.ts';
import type { Day } from '../../model/day.ts';
import { CredentialsRefusedError, explain } from '../../model/errors.ts';
import { judgeTry, type Night, type TryEnd, type TryStatus } from '../../model/night.ts';
import { keyPlaceInFile } from '../../model/organizations/organization-config.ts';
import { dailySources } from '../../sources/registry.ts';
import { withSession } from '../../warehouse/connection/connection.ts';
import { retryOnConnectionLoss } from '../../warehouse/connection/reconnect.ts';
import { type NightStanding, readNightStandings } from '../../warehouse/ledger/night-standing.ts';
import { readWholeOrganizations } from '../../warehouse/ledger/whole-day.ts';
import { readOpenJobs } from '../../warehouse/queue/queue-figures.ts';
import { whyNotWhole } from '../nights/night-text.ts';
import { type TriedOrganization, tellRound, type UnrecordedMessages } from '../nights/tell-round.ts';
import { endOfAll, roundCouldNotBegin } from '../nights/try-round.ts';
import type { JobSurroundings } from '../runs/job-surroundings.ts';
import { withWarehouse } from '../runs/with-warehouse.ts';
import { addNight } from './enqueue.ts';
import { nightlyKey } from './orders.ts';

/** How a round works. */
export interface RoundOptions {
  readonly unrecorded: UnrecordedMessages;
  /** The round ends at this time, in ms since 1970, even if jobs still wait or run: the next round orders what failed. */
  readonly untilMs: number;
  /** Interval of the looks whether the jobs have ended. */
  readonly betweenLooksMs: number;
}

const failedWithoutRun: TryEnd = { verdict: 'bad', status: 'failed', runId: null };
const notYet: TryEnd = { verdict: 'early', status: 'pending', runId: null };

/**
 * Orders the night for each organization of the file whose last run was not good, waits until their jobs have ended, and sends
 * the messages of the settings. Notes the ends in `night`. Never throws.
 */
export async function orderRound(
  surroundings: JobSurroundings,
  night: Night,
  options: RoundOptions,
): Promise<TryEnd> {
  const { config, log, clock } = surroundings;
  const names = (config.organizations ?? []).map(({ name }) => name);
  try {
    return await withWarehouse(surroundings, 'writes', async ({ warehouse, abort: { signal } }) => {
      const { pool } = warehouse;
      const ask = <T>(question: (client: pg.PoolClient) => Promise<T>) =>
        retryOnConnectionLoss(pool, signal, () => withSession(pool, ({ client }) => question(client)));
      const read = () =>
        retryOnConnectionLoss(pool, signal, () =>
          withSession(pool, ({ db }) => readNightStandings(db, night.day, names)),
        );
      const before = await read();
      const ordered = names.filter((name) => endOf(before.get(name)).verdict !== 'good');
      const keys = new Map(ordered.map((name) => [nightlyKey(name, night.day), name]));
      const { enqueued, alreadyQueued } = await addNight(pool, ordered, night.day);
      log.info({ night: night.day, enqueued, already_queued: alreadyQueued }, 'ordered the night');
      let open = await ask((client) => readOpenJobs(client, [...keys.keys()]));
      while (open.waiting.size > 0 && clock() < options.untilMs) {
        await delay(options.betweenLooksMs, undefined, { signal });
        open = await ask((client) => readOpenJobs(client, [...keys.keys()]));
      }
      const after = await read();
      const reasons = new Map([...open.ended].map(([key, reason]) => [keys.get(key) ?? '', reason]));
      const waiting = new Set([...open.waiting].map((key) => keys.get(key) ?? ''));
      for (const name of names) note(name, waiting.has(name) ? notYet : endOf(after.get(name)));
      const tried = ordered
        .filter((name) => !waiting.has(name))
        .map((name) => triedOf(name, after.get(name), reasons.get(name)));
      return await tell(tried, warehouse.url);
    });
  } catch (error) {
    surroundings.abort.signal.throwIfAborted();
    log.error({ reason: surroundings.redact(explain(error)) }, 'the night could not be ordered');
    return await roundCouldNotBegin(surroundings, night, error, options.unrecorded);
  }

  function note(name: string, end: TryEnd): void {
    night.organizations.set(name, { settled: new Set(), end });
  }

  function endOf(standing: NightStanding | undefined): TryEnd {
    if (standing === undefined) return failedWithoutRun;
    const { status: ofRun, runId, pending } = standing;
    const status: TryStatus = ofRun === 'succeeded' && pending.length > 0 ? 'pending' : ofRun;
    const verdict = judgeTry(night.day, status, { endedMs: clock(), graceHours: config.statusGraceHours });
    return { verdict, status, runId };
  }

  function triedOf(
    name: string,
    standing: NightStanding | undefined,
    reason: string | undefined,
  ): TriedOrganization {
    const missing = [
      ...(standing?.failed ?? []).map((slice) => ({ ...slice, why: 'the reading failed' })),
      ...(standing?.pending ?? []).map((slice) => ({ ...slice, why: 'no rows yet' })),
    ];
    const stoppedBy = refusalIn(standing?.error);
    const why = whyNotWhole({ missing, stoppedBy, unanswered: new Map() }, keyPlaceInFile);
    // Without a run the reason is a sentence of this program. With one it may hold words of the platform.
    const reasons = why.length > 0 || standing !== undefined ? why : [reason ?? 'see the log of the workers'];
    return { name, end: endOf(standing), reasons, hasRefused: standing?.hasRefused === true };
  }

  /** If all were whole before, another process has asked for the heartbeat. */
  async function tell(tried: readonly TriedOrganization[], databaseUrl: string | undefined): Promise<TryEnd> {
    const { redact, timing, abort } = surroundings;
    const end = endOfAll(night, names);
    if (abort.signal.aborted) return end;
    const messages =
      tried.length > 0 || names.length === 0 ? config.messages : withoutHeartbeat(config.messages);
    const sending = { config: { ...config, messages }, log, redact, timing, signal: abort.signal };
    await tellRound(sending, { night, end, tried, names }, databaseUrl, options.unrecorded);
    return end;
  }
}

function withoutHeartbeat({ heartbeat: _, ...others }: Config['messages']): Config['messages'] {
  return others;
}

/**
 * Whether the ledger holds a whole day for all organizations of the file, so that its night need not be ordered. False if it
 * cannot be read.
 */
export async function isOrderedNightWhole(surroundings: JobSurroundings, day: Day): Promise<boolean> {
  const { config, log, abort } = surroundings;
  const endpoints = dailySources.map(({ name }) => name);
  try {
    const whole = await withWarehouse(surroundings, 'writes', ({ warehouse: { pool } }) =>
      withSession(pool, ({ db }) => readWholeOrganizations(db, day, endpoints)),
    );
    const names = new Set(whole.map(({ name }) => name));
    return (config.organizations ?? []).every(({ name }) => names.has(name));
  } catch (error) {
    if (!abort.signal.aborted)
      log.warn({ reason: explain(error) }, 'the database cannot be used, so no night can be ordered');
    return false;
  }
}

/** The refusal of a credential that the error of a run tells of. */
function refusalIn(error: string | null | undefined): unknown {
  const [status] = /\b40[13]\b/.exec(error ?? '') ?? [];
  if (status === undefined) return undefined;
  return new CredentialsRefusedError('refused', { status: status === '401' ? 401 : 403 });
}
