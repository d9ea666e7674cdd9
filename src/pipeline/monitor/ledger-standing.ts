/** Reads the state of the nights from the ledger, for the gauges. */
import { dailySources, sources } from '../../sources/registry.ts';
import type { Database } from '../../warehouse/connection/connection.ts';
import { type RefusedSlices, readRefusedSlices } from '../../warehouse/ledger/refused-slices.ts';
import { countFailedTries, type LastDay, readLastDays } from '../../warehouse/ledger/standing.ts';

/** The state of the nights in the ledger. */
export interface LedgerStanding {
  readonly lastDays: readonly LastDay[];
  readonly refused: readonly RefusedSlices[];
  readonly nightFailedTries: number;
}

const dailyEndpoints = dailySources.map(({ name }) => name);
/** A refused snapshot of an earlier day cannot be requested again, so nobody can accept it. */
const decidableEndpoints = sources
  .filter(({ partitioning }) => partitioning.kind !== 'snapshot')
  .map(({ name }) => name);

/** Reads the state; after `graceHours` a pending day is a failure. */
export async function readLedgerStanding(db: Database, graceHours: number): Promise<LedgerStanding> {
  return {
    lastDays: await readLastDays(db, dailyEndpoints),
    refused: await readRefusedSlices(db, decidableEndpoints),
    nightFailedTries: await countFailedTries(db, dailyEndpoints, graceHours),
  };
}
