/** Removes texts that were stored before `SESSION_TEXT=none` was set. */
import type pg from 'pg';
import { flattenOf } from '../../flatten/flatten.ts';
import type { PersonColumn } from '../../model/person-places.ts';
import { recordsField } from '../../model/record-chunk.ts';
import type { Source } from '../../model/source.ts';
import { withoutTexts } from '../../model/withheld-texts.ts';
import { type Session, withSession } from '../../warehouse/connection/connection.ts';
import { retryOnConnectionLoss } from '../../warehouse/connection/reconnect.ts';
import {
  endpointsWithTexts,
  forgetKeptTexts,
  quotingTables,
  rememberKeptTexts,
  withholdTextsOfLedger,
} from '../../warehouse/removal/kept-texts.ts';
import type { RemovalRule } from '../../warehouse/removal/removal-rule.ts';
import { removeStored } from '../../warehouse/removal/remove-stored.ts';
import { renewStatistics } from '../../warehouse/removal/statistics.ts';

/**
 * Call it before a load. If texts may be stored, records that there may be texts from now on. If not, removes all texts
 * from an organization's facts, archive and ledger, which costs little if there are none. The caller holds the
 * organization's lock. Returns slices whose archive could not be read and was removed.
 */
export async function settleStoredTexts(
  pool: pg.Pool,
  orgKey: number,
  sources: readonly Source[],
  withholdsTexts: boolean,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const inLedger = <T>(work: (session: Session) => Promise<T>) =>
    retryOnConnectionLoss(pool, signal, () => withSession(pool, work));
  const withTexts = sources.filter(({ hasPrivateTexts }) => hasPrivateTexts === true);
  if (withTexts.length === 0) return [];
  const endpoints = withTexts.map(({ name }) => name);
  if (!withholdsTexts) {
    await inLedger(({ db }) => rememberKeptTexts(db, orgKey, endpoints));
    return [];
  }
  const kept = await inLedger(({ db }) => endpointsWithTexts(db, orgKey));
  const removedOf: string[][] = [];
  for (const source of withTexts.filter(({ name }) => kept.includes(name))) {
    const { name, schema } = source;
    const places = privateColumns(source);
    const rule: RemovalRule = {
      orgKeys: [orgKey],
      onSameName: 'number',
      archive: { only: { endpoint: name } },
      rewriteJson: (json) => withoutTexts(json, recordsField, schema),
    };
    const { removed } = await removeStored(pool, places, rule, signal);
    removedOf.push([...removed]);
    await inLedger(({ db }) => withholdTextsOfLedger(db, orgKey, name));
    // The planner statistics of these columns may contain texts, even if an earlier run emptied the columns: it may have
    // been interrupted before it came here.
    const tables = new Set([...places.map(({ table }) => table), ...quotingTables]);
    await retryOnConnectionLoss(pool, signal, () => renewStatistics(pool, [], tables, () => false));
    await inLedger(({ db }) => forgetKeptTexts(db, orgKey, name));
  }
  return removedOf.flat();
}

/** The columns of a source's tables whose texts `SESSION_TEXT=none` withholds. */
function privateColumns(source: Source): PersonColumn[] {
  return flattenOf(source).tables.flatMap(({ name, values }) =>
    values.flatMap(({ column, isPrivate }) =>
      isPrivate === true ? [{ table: `warehouse.${name}`, column, kind: 'text' }] : [],
    ),
  );
}
