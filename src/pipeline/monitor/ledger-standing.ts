/** What the ledger says to whoever watches. */
import { dailySources, sources } from '../../sources/registry.ts';
import type { Database } from '../../warehouse/connection/connection.ts';
import { type RefusedSlices, readRefusedSlices } from '../../warehouse/ledger/refused-slices.ts';
import { countFailedTries, type LastDay, readLastDays } from '../../warehouse/ledger/standing.ts';

/** What the ledger says of the nights. */
export interface LedgerStanding {
  readonly lastDays: readonly LastDay[];
  readonly refused: readonly RefusedSlices[];
  readonly nightFailedTries: number;
}

const dailyEndpoints = dailySources.map(({ name }) => name);
/** Nobody can decide about the snapshot of an earlier day. */
const decidableEndpoints = sources
  .filter(({ partitioning }) => partitioning.kind !== 'snapshot')
  .map(({ name }) => name);

/** Reads it; `graceHours` are those after which a pending day is a failure. */
export async function readLedgerStanding(db: Database, graceHours: number): Promise<LedgerStanding> {
  return {
    lastDays: await readLastDays(db, dailyEndpoints),
    refused: await readRefusedSlices(db, decidableEndpoints),
    nightFailedTries: await countFailedTries(db, dailyEndpoints, graceHours),
  };
}
