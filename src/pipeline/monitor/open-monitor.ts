/**
 * Serves `/healthz`, `/readyz` and `/metrics` of a process that stays up. Only a process that serves them loads this
 * file.
 */
import { Registry } from 'prom-client';
import type { Clock } from '../../model/clock.ts';
import type { Config } from '../../model/config.ts';
import type { OnNightEvent } from '../../model/night.ts';
import type { RunObserver } from '../../model/run.ts';
import type { Sanitize } from '../../model/sanitize.ts';
import { type AnsweringHttp, answerHttp, jsonAnswer, type Listening } from '../../reporting/answer-http.ts';
import { openGauges } from '../../reporting/gauges.ts';
import { openQueueMetrics, type QueueMetrics } from '../../reporting/queue-metrics.ts';
import { openRunMetrics } from '../../reporting/run-metrics.ts';
import { sources } from '../../sources/registry.ts';
import { watchDatabase } from './database-watch.ts';
import type { LedgerStanding } from './ledger-standing.ts';

/** How to open a monitor. */
export interface MonitorOptions extends Listening {
  readonly clock: Clock;
  /** Sanitizes every text that this program did not write. */
  readonly sanitize: Sanitize;
  /** Reads the settings again. */
  readonly settings: () => Pick<Config, 'databaseUrl' | 'statusGraceHours' | 'metricsOrganizations'>;
  /** The next due time of a night after a moment, both in ms since 1970; undefined for a process that keeps no nights. */
  readonly nextDue: ((afterMs: number) => number) | undefined;
  /** Whether the process uses the queue. */
  readonly usesQueue: boolean;
}

/** An open monitor. */
export interface Monitor {
  readonly url: string;
  /** Counts the events of a run. */
  readonly observe: RunObserver;
  /** Takes an event of the nights. */
  readonly onNightEvent: OnNightEvent;
  /** Counts a job of the queue. */
  readonly onJob: QueueMetrics['count'];
  /** Sets the URL of the database if the settings do not name one. */
  embeddedAt(url: string): void;
  close(): Promise<void>;
}

/** Opens a monitor. Throws `ConfigurationError` if it cannot listen on its host and port. */
export async function openMonitor(options: MonitorOptions): Promise<Monitor> {
  const { clock, sanitize, settings, nextDue, usesQueue } = options;
  const registry = new Registry();
  const metrics = openRunMetrics({
    registry,
    sanitize,
    endpoints: sources.map(({ name }) => name),
    mostOrganizations: () => settings().metricsOrganizations,
  });
  const setGauges = openGauges(registry, sanitize);
  const queueMetrics = usesQueue ? openQueueMetrics(registry) : undefined;
  let embeddedUrl: string | undefined;
  let nextTryMs = 0;
  let failedTries = 0;
  /** The last state of the ledger. It stays in the gauges while the database is away. */
  let known: LedgerStanding | undefined;
  const database = watchDatabase(() => {
    const { databaseUrl = embeddedUrl, ...others } = settings();
    return { ...others, databaseUrl };
  });

  async function measure(): Promise<string> {
    const isDatabaseUp = (await database.problem()) === undefined;
    const queue = isDatabaseUp && usesQueue ? await database.queue() : undefined;
    if (queue !== undefined) queueMetrics?.set(queue);
    if (isDatabaseUp) known = (await database.standing()) ?? known;
    const { lastDays = [], refused = [], organizations, nightFailedTries = 0 } = known ?? {};
    const count = Object.values(organizations ?? {}).reduce((sum, each) => sum + each, 0);
    await metrics.expect(
      lastDays.map(({ organization }) => organization),
      count,
    );
    const nowMs = clock();
    setGauges({
      nowMs,
      lastDays,
      refused,
      organizations,
      // Tries without a run are not in the ledger; tries of an earlier process are not in memory.
      nightFailedTries: Math.max(failedTries, nightFailedTries),
      isDatabaseUp,
      nextRunMs: nextTryMs > nowMs ? nextTryMs : nextDue?.(nowMs),
    });
    return registry.metrics();
  }

  const server: AnsweringHttp = await answerHttp(
    options,
    new Map([
      ['/healthz', async () => jsonAnswer(200, { alive: true })],
      [
        '/readyz',
        async () => {
          const reason = await database.problem();
          if (reason === undefined) return jsonAnswer(200, { ready: true });
          return jsonAnswer(503, { ready: false, reason: sanitize(reason) });
        },
      ],
      ['/metrics', async () => ({ status: 200, contentType: registry.contentType, body: await measure() })],
    ]),
  );
  return {
    url: server.url,
    observe: metrics.observe,
    onJob: (task, outcome) => queueMetrics?.count(task, outcome),
    onNightEvent(event) {
      if (event.type === 'waiting') nextTryMs = event.nextTryMs;
      if (event.type === 'waiting' || event.type === 'try-ended') failedTries = event.failedTries;
    },
    embeddedAt(url) {
      embeddedUrl = url;
    },
    async close() {
      await server.close();
      await database.close();
    },
  };
}
