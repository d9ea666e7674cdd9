/** Makes a receipt of an archived slice. */
import { WarehouseError } from '../../model/errors.ts';
import type { Slice, Source } from '../../model/source.ts';
import { archivedSize, readRawSlice } from '../../warehouse/archive/raw-archive.ts';
import type { Database } from '../../warehouse/connection/connection.ts';
import { comesFromDatabase } from '../../warehouse/connection/database-error.ts';
import type { LedgerEntry } from '../../warehouse/ledger/slice-ledger.ts';
import { buildReceipt, type Receipt, type ReceiptOptions } from './receipt.ts';

/** An archived slice, and its ledger entry. */
export interface ArchivedSlice {
  readonly source: Source;
  readonly slice: Slice;
  readonly known: Pick<LedgerEntry, 'archived' | 'sourceHash'> | undefined;
}

const advice = 'its rows were kept, read it again with `backfill --force`';

/**
 * Reads the whole archive of a slice into a receipt, so that loading does not need this connection any more. Throws
 * `WarehouseError` if the archive is not complete or is damaged.
 */
export async function archivedReceipt(
  gathering: ReceiptOptions,
  db: Database,
  orgKey: number,
  { source, slice, known }: ArchivedSlice,
): Promise<Receipt> {
  const found = await archivedSize(db, orgKey, slice);
  const expected = known?.archived;
  if (expected?.chunks !== found.chunks || expected.rows !== found.rows)
    throw new WarehouseError(
      `the archive of the slice is not whole: expected ${expected?.chunks ?? 'no'} chunks with ${expected?.rows ?? 'no'} records, ` +
        `found ${found.chunks} with ${found.rows}; ${advice}`,
    );
  const builder = buildReceipt(source, slice, gathering);
  try {
    for await (const segments of readRawSlice(db, orgKey, slice)) await builder.add(segments);
    const receipt = builder.finish();
    // The digest of rewritten records differs from that of the platform's bytes, which the ledger has.
    return found.isRewritten ? { ...receipt, sourceHash: known?.sourceHash ?? receipt.sourceHash } : receipt;
  } catch (error) {
    await builder.abandon();
    throw comesFromDatabase(error)
      ? error
      : new WarehouseError(`the archive of the slice is damaged; ${advice}`, { cause: error });
  }
}
