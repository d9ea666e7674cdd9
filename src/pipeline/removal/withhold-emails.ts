/** Removes e-mail addresses that were stored before nobody wanted them any more (`USER_EMAIL=none`). */
import type pg from 'pg';
import { flattenOf } from '../../flatten/flatten.ts';
import type { ForgottenPersons } from '../../model/forgotten-persons.ts';
import { rewriteChunk } from '../../model/record-chunk.ts';
import type { Source } from '../../model/source.ts';
import { type Dimension, isReference } from '../../model/table.ts';
import { withoutEmails, withoutEmailsIn } from '../../model/withheld-emails.ts';
import { removeDetailsWithEmails } from '../../warehouse/checks/check-results.ts';
import { withSession } from '../../warehouse/connection/connection.ts';
import { retryOnConnectionLoss } from '../../warehouse/connection/reconnect.ts';
import { analyzeNamed } from '../../warehouse/forgetting/statistics.ts';
import { rewriteEmailsInQuarantine } from '../../warehouse/ledger/quarantine.ts';
import { replaceEmailsInArchive } from '../../warehouse/removal/archive-emails.ts';
import { withholdEmailsOfDimension } from '../../warehouse/removal/dimension-emails.ts';
import { renameInCreditLimits } from '../../warehouse/removal/limit-emails.ts';

/**
 * Takes e-mail addresses out of an organization's dimensions, archive, quarantine, check results and credit limits. Costs
 * next to nothing where that is done already; a load whose answers hold none keeps it so. The caller holds the organization's
 * lock, and `persons` have the key of the installation. Returns slices whose archive could not be read, and was removed.
 */
export function withholdStoredEmails(
  pool: pg.Pool,
  orgKey: number,
  sources: readonly Source[],
  persons: ForgottenPersons,
  signal: AbortSignal,
): Promise<string[]> {
  const { nameOfAddress } = persons;
  const rewrite = (json: Buffer) => withoutEmails(persons.withoutGuessableNames(json), nameOfAddress);
  return retryOnConnectionLoss(pool, signal, () =>
    withSession(pool, async (session) => {
      const { db } = session;
      for (const dimension of dimensionsOf(sources))
        await withholdEmailsOfDimension(db, orgKey, dimension, (name, column) =>
          withoutEmailsIn(name, nameOfAddress, column),
        );
      await rewriteEmailsInQuarantine(db, orgKey, (json) => withoutEmails(json, nameOfAddress));
      await removeDetailsWithEmails(db, orgKey);
      await renameInCreditLimits(db, orgKey, nameOfAddress);
      const dimensions = Array.from(dimensionsOf(sources), ({ table }) => `warehouse.${table}`);
      await analyzeNamed(
        session,
        [...dimensions, ...otherTables],
        (value) => withoutEmailsIn(value, nameOfAddress) !== value,
      );
      return replaceEmailsInArchive(db, orgKey, async (payload) => {
        signal.throwIfAborted();
        // What cannot be read cannot be rewritten, and may hold anything.
        return rewriteChunk(payload, rewrite).catch(() => undefined);
      });
    }),
  );
}

/** What else is rewritten here. */
const otherTables = [
  'etl.rejected_row',
  'etl.check_result',
  'etl.credit_limit_change',
  'warehouse.credit_limit',
];

function dimensionsOf(sources: readonly Source[]): Set<Dimension> {
  const columns = sources.flatMap((source) =>
    flattenOf(source).tables.flatMap(({ keys, references }) => [...keys, ...references]),
  );
  return new Set(columns.flatMap((column) => (isReference(column) ? [column.dimension] : [])));
}
