/** Reads who has or had which address, from all that is stored. */
import type pg from 'pg';
import { ownerFields } from '../../model/forgotten-persons.ts';
import { readOwners } from '../../model/json-strings.ts';
import { chunkText } from '../../model/record-chunk.ts';
import { personPlaces } from '../../sources/person-columns.ts';
import { retryOnConnectionLoss } from '../../warehouse/connection/reconnect.ts';
import {
  type EachOwner,
  rereadStoredOwners,
  withStoredOwners,
} from '../../warehouse/removal/stored-owners.ts';

/** Does `work` with all users and addresses of all organizations. */
export function withOwners<Result>(
  pool: pg.Pool,
  signal: AbortSignal,
  work: (each: EachOwner) => Promise<Result>,
): Promise<Result> {
  return retryOnConnectionLoss(pool, signal, () => withStoredOwners({ pool, signal, ...reading }, work));
}

/** The same without writing anything, not even a temporary table; `work` may be done again from its beginning. */
export function withOwnersReadOnly<Result>(
  pool: pg.Pool,
  signal: AbortSignal,
  work: (each: EachOwner) => Promise<Result>,
): Promise<Result> {
  return retryOnConnectionLoss(pool, signal, () => work(rereadStoredOwners({ pool, signal, ...reading })));
}

const reading = {
  places: personPlaces,
  openChunk: chunkText,
  readJson: (json: string, onOwner: (userId: string, email: string | undefined) => void) =>
    readOwners(json, ownerFields, ({ id, address }) => onOwner(id, address)),
};
