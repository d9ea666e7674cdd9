/** Removes e-mail addresses that were stored before nobody wanted them any more (`USER_EMAIL=none`). */
import type pg from 'pg';
import { flattenOf } from '../flatten/flatten.ts';
import { rewriteChunk } from '../model/record-chunk.ts';
import type { Source } from '../model/source.ts';
import { type Dimension, isReference } from '../model/table.ts';
import { withheldEmail, withoutEmails, withoutEmailsIn } from '../model/withheld-emails.ts';
import { replaceEmailsInArchive } from '../warehouse/archive/stored-emails.ts';
import { removeDetailsWithEmails } from '../warehouse/checks/check-results.ts';
import { withSession } from '../warehouse/connection/connection.ts';
import { retryOnConnectionLoss } from '../warehouse/connection/reconnect.ts';
import { rewriteEmailsInQuarantine } from '../warehouse/ledger/quarantine.ts';
import { renameInCreditLimits } from '../warehouse/limits/stored-emails.ts';
import { withholdEmailsOfDimension } from '../warehouse/load/stored-emails.ts';

/**
 * Takes e-mail addresses out of an organization's dimensions, archive, quarantine, check results and credit limits. Costs
 * next to nothing where that is done already; a load whose answers hold none keeps it so. The caller holds the organization's
 * lock. Returns slices whose archive could not be read, and was removed.
 */
export function withholdStoredEmails(
  pool: pg.Pool,
  orgKey: number,
  sources: readonly Source[],
  signal: AbortSignal,
): Promise<string[]> {
  return retryOnConnectionLoss(signal, () =>
    withSession(pool, async ({ db }) => {
      for (const dimension of dimensionsOf(sources))
        await withholdEmailsOfDimension(db, orgKey, dimension, withoutEmailsIn);
      await rewriteEmailsInQuarantine(db, orgKey, withoutEmails);
      await removeDetailsWithEmails(db, orgKey);
      await renameInCreditLimits(db, orgKey, withheldEmail);
      return replaceEmailsInArchive(db, orgKey, async (payload) => {
        signal.throwIfAborted();
        // What cannot be read cannot be rewritten, and may hold anything.
        return rewriteChunk(payload, withoutEmails).catch(() => undefined);
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
