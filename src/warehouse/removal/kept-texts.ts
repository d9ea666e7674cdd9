/** Records which endpoints may have stored texts (`SESSION_TEXT=keep`), and removes what the ledger quotes of them. */
import { sql } from 'kysely';
import type { Database } from '../connection/connection.ts';

/** Records that texts of these endpoints are stored from now on. */
export async function rememberKeptTexts(
  db: Database,
  orgKey: number,
  endpoints: readonly string[],
): Promise<void> {
  await sql`
    insert into etl.kept_text (org_key, endpoint)
    select ${orgKey}, unnest(${endpoints}::text[])
    on conflict do nothing
  `.execute(db);
}

/** The endpoints of an organization that may have stored texts. */
export async function endpointsWithTexts(db: Database, orgKey: number): Promise<string[]> {
  const rows = await db
    .selectFrom('etl.kept_text')
    .select('endpoint')
    .where('org_key', '=', orgKey)
    .execute();
  return rows.map(({ endpoint }) => endpoint);
}

/** Records that no text of an endpoint is stored any more. */
export async function forgetKeptTexts(db: Database, orgKey: number, endpoint: string): Promise<void> {
  await sql`delete from etl.kept_text where org_key = ${orgKey} and endpoint = ${endpoint}`.execute(db);
}

/** The tables of the ledger that may quote texts. */
export const quotingTables = ['etl.rejected_row', 'etl.drift', 'etl.slice', 'etl.run'];

const withheld = '[withheld: it may have quoted a text]';

/**
 * Removes from quarantine, drift and errors what may quote texts of an endpoint. Also clears the digests of answers: when
 * texts may be kept again, the same answer must be loaded again.
 */
export async function withholdTextsOfLedger(db: Database, orgKey: number, endpoint: string): Promise<void> {
  const ofEndpoint = sql`org_key = ${orgKey} and endpoint = ${endpoint}`;
  await sql`update etl.rejected_row set payload = null, reason = ${withheld} where ${ofEndpoint}`.execute(db);
  // The name of an unknown field may be a text, too.
  await sql`
    update etl.drift set example = ${withheld}, path = format('[withheld %s]', row_id) where ${ofEndpoint}
  `.execute(db);
  await sql`
    update etl.slice
    set
      source_hash = null,
      error = case when error is not null then ${withheld} end,
      last_error = case when last_error is not null then ${withheld} end
    where ${ofEndpoint}
  `.execute(db);
  // The error of a refused request quotes the platform without the name of the endpoint.
  await sql`
    update etl.run set error = ${withheld}
    where org_key = ${orgKey}
      and (position(${endpoint} in error) > 0 or position('the platform answered' in error) > 0)
  `.execute(db);
}
