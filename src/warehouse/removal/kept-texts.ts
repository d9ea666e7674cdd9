/** Which endpoints may have texts stored that not everybody may keep, and what the ledger quotes of them. */
import { sql } from 'kysely';
import type { Database } from '../connection/connection.ts';

/** Remembers that texts of endpoints are stored from now on. */
export async function rememberKeptTexts(
  db: Database,
  orgKey: number,
  endpoints: readonly string[],
): Promise<void> {
  if (endpoints.length === 0) return;
  await db
    .insertInto('etl.kept_text')
    .values(endpoints.map((endpoint) => ({ org_key: orgKey, endpoint })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** The endpoints of an organization that may have texts stored. */
export async function endpointsWithTexts(db: Database, orgKey: number): Promise<string[]> {
  const rows = await db
    .selectFrom('etl.kept_text')
    .select('endpoint')
    .where('org_key', '=', orgKey)
    .execute();
  return rows.map(({ endpoint }) => endpoint);
}

/** Forgets that texts of an endpoint are stored, because none is any more. */
export async function forgetKeptTexts(db: Database, orgKey: number, endpoint: string): Promise<void> {
  await db
    .deleteFrom('etl.kept_text')
    .where('org_key', '=', orgKey)
    .where('endpoint', '=', endpoint)
    .execute();
}

/** The tables of the ledger that may quote texts. */
export const quotingTables = ['etl.rejected_row', 'etl.drift', 'etl.slice', 'etl.run'];

const withheld = '[withheld: it may have quoted a text]';

/**
 * Takes out of quarantine, drift and errors what may quote texts of an endpoint, and forgets its hashes, so that an answer
 * with the same texts is not taken for known when they may be kept again.
 */
export async function withholdTextsOfLedger(db: Database, orgKey: number, endpoint: string): Promise<void> {
  await db
    .updateTable('etl.rejected_row')
    .set({ payload: null, reason: withheld })
    .where('org_key', '=', orgKey)
    .where('endpoint', '=', endpoint)
    .execute();
  // Names of unknown fields may be texts, too.
  await sql`
    update etl.drift as d
    set example = ${withheld}::text, path = format('[withheld %s]', numbered.number)
    from (
      select kind, path_digest, row_number() over () as number
      from etl.drift
      where org_key = ${orgKey} and endpoint = ${endpoint}
    ) as numbered
    where d.org_key = ${orgKey}
      and d.endpoint = ${endpoint}
      and d.kind = numbered.kind
      and d.path_digest = numbered.path_digest
  `.execute(db);
  const withheldIfAny = (column: string) =>
    sql<string | null>`case when ${sql.ref(column)} is not null then ${withheld}::text end`;
  await db
    .updateTable('etl.slice')
    .set({
      source_hash: null,
      content_hash: null,
      error: withheldIfAny('error'),
      last_error: withheldIfAny('last_error'),
    })
    .where('org_key', '=', orgKey)
    .where('endpoint', '=', endpoint)
    .execute();
  await db
    .updateTable('etl.run')
    .set({ error: withheld })
    .where('org_key', '=', orgKey)
    // A refusal quotes the platform without naming the endpoint.
    .where(
      sql<boolean>`(position(${endpoint} in error) > 0 or position('the platform answered' in error) > 0)`,
    )
    .execute();
}
