/** Removes e-mail addresses that were stored before nobody wanted them any more (`USER_EMAIL=none`). */
import type pg from 'pg';
import { flattenOf } from '../flatten/flatten.ts';
import { rewriteChunk } from '../model/record-chunk.ts';
import type { Source } from '../model/source.ts';
import { type Dimension, isReference } from '../model/table.ts';
import { withoutEmails } from '../model/withheld-emails.ts';
import { replaceEmailsInArchive } from '../warehouse/archive/stored-emails.ts';
import { withSession } from '../warehouse/connection/connection.ts';
import { retryOnConnectionLoss } from '../warehouse/connection/reconnect.ts';
import { removeEmailsFromQuarantine } from '../warehouse/ledger/quarantine.ts';
import { clearEmails } from '../warehouse/load/attributes.ts';

/**
 * Clears the attributes of an organization that are e-mail addresses, and takes addresses out of its archive and its
 * quarantine. Costs next to nothing where that is done already. A load whose answers hold none keeps it so.
 */
export async function withholdStoredEmails(
  pool: pg.Pool,
  orgKey: number,
  sources: readonly Source[],
  signal: AbortSignal,
): Promise<void> {
  await retryOnConnectionLoss(signal, () =>
    withSession(pool, async ({ db }) => {
      for (const dimension of dimensionsOf(sources)) await clearEmails(db, orgKey, dimension);
      await removeEmailsFromQuarantine(db, orgKey);
      await replaceEmailsInArchive(db, orgKey, async (payload) => {
        signal.throwIfAborted();
        return rewriteChunk(payload, withoutEmails);
      });
    }),
  );
}

function dimensionsOf(sources: readonly Source[]): Set<Dimension> {
  const columns = sources.flatMap((source) =>
    flattenOf(source).tables.flatMap(({ keys, references }) => [...keys, ...references]),
  );
  return new Set(columns.flatMap((column) => (isReference(column) ? [column.dimension] : [])));
}
