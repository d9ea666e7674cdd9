/** Removes texts that were stored before nobody wanted them any more (`SESSION_TEXT=none`). */
import type pg from 'pg';
import { flattenOf } from '../../flatten/flatten.ts';
import type { PersonColumn } from '../../model/person-places.ts';
import { recordsField } from '../../model/record-chunk.ts';
import type { Source } from '../../model/source.ts';
import { withoutTexts } from '../../model/withheld-texts.ts';
import { withSession } from '../../warehouse/connection/connection.ts';
import { retryOnConnectionLoss } from '../../warehouse/connection/reconnect.ts';
import {
  endpointsWithTexts,
  forgetKeptTexts,
  quotingTables,
  rememberKeptTexts,
  withholdTextsOfLedger,
} from '../../warehouse/removal/kept-texts.ts';
import { removeStored } from '../../warehouse/removal/remove-stored.ts';
import { renewStatistics } from '../../warehouse/removal/statistics.ts';

/** Whose texts, and whether they may be stored. */
export interface StoredTexts {
  readonly orgKey: number;
  readonly sources: readonly Source[];
  readonly withholdsTexts: boolean;
}

/**
 * Before a load: remembers that texts are stored from now on; or, where they may not be, takes them out of an
 * organization's facts, archive and ledger. Costs next to nothing where there are none. The caller holds the
 * organization's lock. Returns slices whose archive could not be read, and was removed.
 */
export async function settleStoredTexts(
  pool: pg.Pool,
  { orgKey, sources, withholdsTexts }: StoredTexts,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const inLedger = <T>(work: Parameters<typeof withSession<T>>[1]) =>
    retryOnConnectionLoss(pool, signal, () => withSession(pool, work));
  const withTexts = sources.filter(({ hasPrivateTexts }) => hasPrivateTexts === true);
  if (withTexts.length === 0) return [];
  if (!withholdsTexts) {
    const names = withTexts.map(({ name }) => name);
    await inLedger(({ db }) => rememberKeptTexts(db, orgKey, names));
    return [];
  }
  const stored = await inLedger(({ db }) => endpointsWithTexts(db, orgKey));
  const all: string[] = [];
  for (const source of withTexts.filter(({ name }) => stored.includes(name))) {
    const { name, schema } = source;
    const places = privateColumns(source);
    const rule = {
      orgKeys: [orgKey],
      onSameName: 'number',
      archive: { only: { endpoint: name } },
      rewriteJson: (json: Buffer) => withoutTexts(json, recordsField, schema),
    } as const;
    const { removed } = await removeStored(pool, places, rule, signal);
    all.push(...removed);
    await inLedger(({ db }) => withholdTextsOfLedger(db, orgKey, name));
    // Whatever it remembers of these columns may be a text, also where they were emptied before something interrupted it.
    const tables = new Set([...places.map(({ table }) => table), ...quotingTables]);
    await retryOnConnectionLoss(pool, signal, () => renewStatistics(pool, [], tables, () => false));
    await inLedger(({ db }) => forgetKeptTexts(db, orgKey, name));
  }
  return all;
}

/** The columns of a source's tables that hold texts which not everybody may keep. */
function privateColumns(source: Source): PersonColumn[] {
  return flattenOf(source).tables.flatMap(({ name, values }) =>
    values
      .filter(({ isPrivate }) => isPrivate === true)
      .map(({ column }) => ({ table: `warehouse.${name}`, column, kind: 'text' as const })),
  );
}
