/** What others see of this process while it stays up: `/healthz`, `/readyz` and `/metrics`. Loaded only where they are served. */
import { Registry } from 'prom-client';
import type { Clock } from '../../model/clock.ts';
import type { Config } from '../../model/config.ts';
import type { OnNightEvent } from '../../model/night.ts';
import type { RunObserver } from '../../model/run.ts';
import type { Sanitize } from '../../model/sanitize.ts';
import { type AnsweringHttp, answerHttp, jsonAnswer, type Listening } from '../../reporting/answer-http.ts';
import { openGauges } from '../../reporting/gauges.ts';
import { openRunMetrics } from '../../reporting/run-metrics.ts';
import { sources } from '../../sources/registry.ts';
import { watchDatabase } from './database-watch.ts';
import type { LedgerStanding } from './ledger-standing.ts';

/** What is to be seen, and where. */
export interface MonitorOptions extends Listening {
  readonly clock: Clock;
  /** What every word passes that comes from outside. */
  readonly sanitize: Sanitize;
  /** The settings of this moment. */
  readonly settings: () => Pick<Config, 'databaseUrl' | 'statusGraceHours'>;
  /** When a night is due next after a moment, both in ms since 1970. */
  readonly nextDue: (afterMs: number) => number;
}

/** An open monitor. */
export interface Monitor {
  readonly url: string;
  /** Counts what runs do. */
  readonly observe: RunObserver;
  /** Follows the nights. */
  readonly onNightEvent: OnNightEvent;
  /** Where the database is, when the settings do not name one. */
  embeddedAt(url: string): void;
  close(): Promise<void>;
}

/** Opens a monitor. Throws `ConfigurationError` where it cannot listen. */
export async function openMonitor(options: MonitorOptions): Promise<Monitor> {
  const { clock, sanitize, settings, nextDue } = options;
  const registry = new Registry();
  const metrics = openRunMetrics({ registry, sanitize, endpoints: sources.map(({ name }) => name) });
  const setGauges = openGauges(registry, sanitize);
  let embeddedUrl: string | undefined;
  let nextTryMs = 0;
  let failedTries = 0;
  /** What the ledger said last: days do not come back while the database is away. */
  let known: LedgerStanding | undefined;
  const database = watchDatabase(() => {
    const { databaseUrl = embeddedUrl, statusGraceHours } = settings();
    return { databaseUrl, statusGraceHours };
  });

  async function measure(): Promise<string> {
    const isDatabaseUp = (await database.problem()) === undefined;
    if (isDatabaseUp) known = (await database.standing()) ?? known;
    const { lastDays = [], refused = [], nightFailedTries = 0 } = known ?? {};
    for (const { organization } of lastDays) metrics.expect(organization);
    const nowMs = clock();
    setGauges({
      nowMs,
      lastDays,
      refused,
      // Tries that did not come to a run are in no ledger; those of an earlier process are in no memory.
      nightFailedTries: Math.max(failedTries, nightFailedTries),
      isDatabaseUp,
      nextRunMs: nextTryMs > nowMs ? nextTryMs : nextDue(nowMs),
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
