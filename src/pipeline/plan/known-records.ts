/** Reads known numbers of records of slices, from which the number of a plan's requests is estimated. */
import type { Source } from '../../model/source.ts';
import type { Database } from '../../warehouse/connection/connection.ts';
import { readRecordsOfDays } from '../../warehouse/ledger/records-of-days.ts';
import type { Ledger } from '../../warehouse/ledger/slice-ledger.ts';

/** Numbers of records by endpoint and key of the slice: rows by the ledger, else by figures of another source. */
export async function readKnownRecords(
  db: Database,
  orgKey: number,
  sources: readonly Source[],
  ledger: Ledger,
): Promise<Map<string, ReadonlyMap<string, number>>> {
  const known = new Map<string, Map<string, number>>();
  for (const source of sources) known.set(source.name, new Map(await readRecordsOfDays(db, orgKey, source)));
  for (const { endpoint, key, status, tableRows } of ledger.values()) {
    const source = sources.find(({ name }) => name === endpoint);
    if (source === undefined || status !== 'loaded') continue;
    known.get(endpoint)?.set(key, tableRows[source.root.name] ?? 0);
  }
  return known;
}
