/** Reads the gauges once, for `status --prometheus`. */
import { Registry } from 'prom-client';
import { openGauges } from '../../reporting/gauges.ts';
import { withSession } from '../../warehouse/connection/connection.ts';
import { dueTimesOf } from '../nights/due-times.ts';
import type { JobSurroundings } from '../runs/job-surroundings.ts';
import { withWarehouse } from '../runs/with-warehouse.ts';
import { type LedgerStanding, readLedgerStanding } from './ledger-standing.ts';

/** The gauges at this moment. */
export interface StandingNow {
  /** In the text format of Prometheus. */
  readonly text: string;
  /** The gauges as data. */
  readonly metrics: readonly object[];
  /** Why the ledger could not be read. */
  readonly problem: unknown;
}

/** Reads the ledger and sets the gauges. If the database cannot be used, it does not throw: a gauge shows it. */
export async function standingNow(surroundings: JobSurroundings): Promise<StandingNow> {
  const { config, clock, redact } = surroundings;
  const registry = new Registry();
  const setGauges = openGauges(registry, redact);
  let standing: LedgerStanding | undefined;
  let problem: unknown;
  try {
    standing = await readStanding(surroundings);
  } catch (error) {
    surroundings.abort.signal.throwIfAborted();
    problem = error;
  }
  const nowMs = clock();
  setGauges({
    nowMs,
    lastDays: standing?.lastDays ?? [],
    refused: standing?.refused ?? [],
    organizations: standing?.organizations,
    nightFailedTries: standing?.nightFailedTries,
    isDatabaseUp: problem === undefined,
    nextRunMs: dueTimesOf(config.cronSchedule)?.next(nowMs),
  });
  return { text: (await registry.metrics()).trimEnd(), metrics: await registry.getMetricsAsJSON(), problem };
}

function readStanding(surroundings: JobSurroundings): Promise<LedgerStanding> {
  return withWarehouse(surroundings, 'reads', ({ config, warehouse: { pool } }) =>
    withSession(pool, ({ db }) => readLedgerStanding(db, config)),
  );
}
