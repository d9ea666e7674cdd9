/** Reads the state of the nights from the ledger, for the gauges. */
import { dailySources, sources } from '../../sources/registry.ts';
import type { Database } from '../../warehouse/connection/connection.ts';
import { type RefusedSlices, readRefusedSlices } from '../../warehouse/ledger/refused-slices.ts';
import {
  countFailedTries,
  countOrganizations,
  type LastDay,
  type OrganizationCounts,
  readLastDays,
} from '../../warehouse/ledger/standing.ts';

/** The state of the nights in the ledger. */
export interface LedgerStanding {
  /** Of at most `METRICS_ORGANIZATIONS` organizations. */
  readonly lastDays: readonly LastDay[];
  readonly refused: readonly RefusedSlices[];
  readonly organizations: OrganizationCounts;
  readonly nightFailedTries: number;
}

const dailyEndpoints = dailySources.map(({ name }) => name);
/** A refused snapshot of an earlier day cannot be requested again, so nobody can accept it. */
const decidableEndpoints = sources
  .filter(({ partitioning }) => partitioning.kind !== 'snapshot')
  .map(({ name }) => name);

/** How to look at the ledger. */
export interface LookingSettings {
  /** After so many hours a pending day is a failure. */
  readonly statusGraceHours: number;
  readonly metricsOrganizations: number;
}

/** Reads the state. */
export async function readLedgerStanding(
  db: Database,
  { statusGraceHours: graceHours, metricsOrganizations: most }: LookingSettings,
): Promise<LedgerStanding> {
  return {
    lastDays: await readLastDays(db, dailyEndpoints, most),
    refused: await readRefusedSlices(db, decidableEndpoints, most),
    organizations: await countOrganizations(db, dailyEndpoints),
    nightFailedTries: await countFailedTries(db, dailyEndpoints, graceHours),
  };
}
