/**
 * Watches the connections of a pool. A paused server does not keep its time-outs, although its kernel still answers:
 * so this process ends what takes too long. It also reports who holds a lock that a statement waits for, and cancels
 * statements when the run is being stopped.
 */
import { performance } from 'node:perf_hooks';
import type pg from 'pg';
import { explain, SilentDatabaseError } from '../../model/errors.ts';
import type { Timing } from '../../model/timing.ts';
import type { BoundedClient, Bounds, Limits } from './bounded-client.ts';
import { describeWait, type LockWait } from './lock-waits.ts';

/** What the watch needs. */
export interface WatchOptions extends Bounds {
  /** All clients of the pool, also those that are logging in or closing. */
  readonly clients: ReadonlySet<BoundedClient>;
  /** Asks on another connection what server processes wait for. */
  readonly readWaits: (pids: readonly number[]) => Promise<LockWait[]>;
  /** Called with a sentence about what takes long. */
  readonly onWait: (sentence: string) => void;
  readonly timing: Timing;
}

/** Time between two inspections: a few of them fit into one wait for a lock. */
const mostBetweenInspectionsMs = 2_000;
const inspectionsPerWait = 4;
const leastBetweenInspectionsMs = 20;
/**
 * After a run is told to stop, a statement is cancelled after the first time, and its connection given up after the
 * second.
 */
const [cancelAfterMs, giveUpAfterMs] = [500, 1_500];
const betweenInspectionsWhenStoppedMs = 100;
/** How long a server may take to close a connection. */
const closingMs = 1_000;

/** The state of a client at the last inspection. */
interface Observation {
  readonly traffic: number;
  readonly since: number;
  isTold: boolean;
  isCancelled: boolean;
}

/** Watches until the pool has ended; does not keep the process alive. */
export function watchPool(pool: pg.Pool, options: WatchOptions): void {
  const { clients, limits, signal, onWait, timing } = options;
  const observations = new WeakMap<BoundedClient, Observation>();
  let stoppedAt: number | undefined;
  let endingSince: number | undefined;
  let isAsking = false;
  let timer = setInterval(
    inspect,
    limits === undefined ? mostBetweenInspectionsMs : betweenInspectionsMs(limits),
  ).unref();

  function stop(): void {
    stoppedAt = performance.now();
    clearInterval(timer);
    timer = setInterval(inspect, betweenInspectionsWhenStoppedMs).unref();
  }
  if (signal?.aborted === true) stop();
  else signal?.addEventListener('abort', stop, { once: true });

  function inspect(): void {
    const now = performance.now();
    if (pool.ending) endingSince ??= now;
    if (pool.ended && clients.size === 0) {
      clearInterval(timer);
      signal?.removeEventListener('abort', stop);
    }
    const waiting: BoundedClient[] = [];
    for (const client of clients) {
      const observation = observations.get(client);
      if (observation === undefined || observation.traffic !== client.traffic || !client.isWaiting)
        observations.set(client, { traffic: client.traffic, since: now, isTold: false, isCancelled: false });
      else {
        judge(client, observation, now);
        waiting.push(client);
      }
    }
    if (limits !== undefined && stoppedAt === undefined && waiting.length > 0) void ask(waiting);
  }

  function judge(client: BoundedClient, observation: Observation, now: number): void {
    const silentMs = now - observation.since;
    const sinceMs = (event: number | undefined) =>
      event === undefined ? Number.NEGATIVE_INFINITY : Math.min(silentMs, now - event);
    if (sinceMs(stoppedAt) > cancelAfterMs && !observation.isCancelled) {
      observation.isCancelled = true;
      client.cancel();
    }
    if (sinceMs(stoppedAt) > giveUpAfterMs)
      giveUp(client, observation, 'the database did not answer while the run was being stopped');
    else if (sinceMs(endingSince) > closingMs)
      giveUp(client, observation, 'the database did not close a connection in time');
    else if (limits !== undefined) {
      const longestMs = Math.max(limits.statementTimeoutMs, client.allowanceMs) + timing.statementMarginMs;
      if (silentMs > longestMs)
        giveUp(
          client,
          observation,
          `the database has not answered for ${inSeconds(longestMs)}, longer than STATEMENT_TIMEOUT_MS allows`,
        );
    }
  }

  /** Not if an answer has arrived while this process was busy: that is read first. */
  function giveUp(client: BoundedClient, { traffic }: Observation, sentence: string): void {
    setImmediate(() => {
      if (client.traffic === traffic) client.giveUp(new SilentDatabaseError(sentence));
    });
  }

  async function ask(waiting: readonly BoundedClient[]): Promise<void> {
    if (isAsking) return;
    isAsking = true;
    try {
      const waits = await options.readWaits(waiting.flatMap(({ backendPid }) => backendPid ?? []));
      for (const client of waiting) {
        const wait = waits.find(({ pid }) => pid === client.backendPid);
        if (wait === undefined) continue;
        client.lockWait = wait;
        if (wait.waitedMs >= timing.waitWorthTellingMs)
          tell(client, `waiting for ${inSeconds(wait.waitedMs)} ${describeWait(wait)}`);
      }
    } catch (error) {
      for (const client of waiting) {
        const silentMs = performance.now() - (observations.get(client)?.since ?? performance.now());
        if (silentMs >= timing.waitWorthTellingMs)
          tell(
            client,
            `the database has not answered for ${inSeconds(silentMs)}, and the question why failed as well (${explain(error)})`,
          );
      }
    } finally {
      isAsking = false;
    }
  }

  function tell(client: BoundedClient, sentence: string): void {
    const observation = observations.get(client);
    if (observation === undefined || observation.isTold || !clients.has(client)) return;
    observation.isTold = true;
    onWait(sentence);
  }
}

function betweenInspectionsMs({ lockTimeoutMs, statementTimeoutMs }: Limits): number {
  const shortest = Math.min(lockTimeoutMs, statementTimeoutMs) / inspectionsPerWait;
  return Math.min(mostBetweenInspectionsMs, Math.max(leastBetweenInspectionsMs, shortest));
}

function inSeconds(milliseconds: number): string {
  return `${Math.round(milliseconds / 100) / 10} s`;
}
