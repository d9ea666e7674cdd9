/** Removes texts that were stored before nobody wanted them any more (`SESSION_TEXT=none`). */
import type pg from 'pg';
import { flattenOf } from '../../flatten/flatten.ts';
import { recordsField, rewriteChunk } from '../../model/record-chunk.ts';
import type { Source } from '../../model/source.ts';
import { withoutTexts } from '../../model/withheld-texts.ts';
import { withSession } from '../../warehouse/connection/connection.ts';
import { retryOnConnectionLoss } from '../../warehouse/connection/reconnect.ts';
import { replaceTextsInArchive } from '../../warehouse/removal/archive-texts.ts';
import { withholdTextsOfTable } from '../../warehouse/removal/fact-texts.ts';
import {
  endpointsWithTexts,
  forgetKeptTexts,
  rememberKeptTexts,
  withholdTextsOfLedger,
} from '../../warehouse/removal/kept-texts.ts';

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
): Promise<string[]> {
  const withTexts = sources.filter(({ hasPrivateTexts }) => hasPrivateTexts === true);
  if (withTexts.length === 0) return [];
  return await retryOnConnectionLoss(pool, signal, () =>
    withSession(pool, async ({ db }) => {
      if (!withholdsTexts) {
        const names = withTexts.map(({ name }) => name);
        await rememberKeptTexts(db, orgKey, names);
        return [];
      }
      const stored = await endpointsWithTexts(db, orgKey);
      const removed: string[] = [];
      for (const source of withTexts) {
        const { name, schema } = source;
        if (!stored.includes(name)) continue;
        for (const table of flattenOf(source).tables) await withholdTextsOfTable(db, orgKey, table);
        await withholdTextsOfLedger(db, orgKey, name);
        const unreadable = await replaceTextsInArchive(db, orgKey, name, async (payload) => {
          signal.throwIfAborted();
          // What cannot be read cannot be rewritten, and may hold anything.
          return rewriteChunk(payload, (json) => withoutTexts(json, recordsField, schema)).catch(
            () => undefined,
          );
        });
        removed.push(...unreadable);
        await forgetKeptTexts(db, orgKey, name);
      }
      return removed;
    }),
  );
}
