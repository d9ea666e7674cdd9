/** The slice ledger: what the warehouse holds of each slice, and how its last reading went. */
import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { Database } from '../connection/connection.ts';

/** States of a slice; see the comment on `etl.slice.status`. */
export type SliceStatus = 'loaded' | 'empty' | 'pending' | 'failed';

/** What the ledger knows of a slice. */
export interface LedgerEntry {
  readonly endpoint: string;
  readonly key: string;
  readonly usageDate: Day | null;
  readonly status: SliceStatus;
  readonly sourceHash: Buffer | null;
  /** Rows stored, by table; the program that reads it may know other tables than the one that wrote it. */
  readonly tableRows: Readonly<Record<string, number>>;
  /** Whether the last reading failed or was refused although the slice is held. */
  readonly lastFailed: boolean;
  /** Whether an answer was refused, and no reading has succeeded since; `last` when that was the last reading. */
  readonly refused: 'last' | 'before' | undefined;
  /** What the archive holds of it; undefined when nothing. */
  readonly archived: ArchivedSize | undefined;
}

/** How much the archive holds of a slice. */
export interface ArchivedSize {
  readonly chunks: number;
  /** Records. */
  readonly rows: number;
}

/** The ledger of an organization, found by endpoint and key. */
export type Ledger = ReadonlyMap<string, LedgerEntry>;

/** Finds an entry in a `Ledger`. */
export function ledgerKey(endpoint: string, key: string): string {
  return `${endpoint} ${key}`;
}

/** Reads the whole ledger of an organization, or what it says of one slice. */
export async function readLedger(
  db: Database,
  orgKey: number,
  only?: Pick<LedgerEntry, 'endpoint' | 'key'>,
): Promise<Ledger> {
  const ofOrganization = db
    .selectFrom('etl.slice')
    .select(['endpoint', 'slice_key', 'usage_date', 'status', 'source_hash', 'table_rows'])
    .select(['last_failed_at', 'raw_chunks', 'raw_rows'])
    .select(
      sql<'last' | 'before' | null>`case
      when refused_at is null then null
      when refused_at = last_failed_at then 'last'
      else 'before'
    end`.as('refused'),
    )
    .where('org_key', '=', orgKey);
  const rows = await (only === undefined
    ? ofOrganization
    : ofOrganization.where('endpoint', '=', only.endpoint).where('slice_key', '=', only.key)
  ).execute();
  return new Map(
    rows.map((row) => [
      ledgerKey(row.endpoint, row.slice_key),
      {
        endpoint: row.endpoint,
        key: row.slice_key,
        usageDate: row.usage_date as Day | null,
        status: row.status as SliceStatus,
        sourceHash: row.source_hash,
        tableRows: countsIn(row.table_rows),
        lastFailed: row.last_failed_at !== null,
        refused: row.refused ?? undefined,
        archived:
          row.raw_chunks === null ? undefined : { chunks: row.raw_chunks, rows: Number(row.raw_rows ?? 0) },
      },
    ]),
  );
}

function countsIn(value: unknown): Record<string, number> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  );
}
