/** The prices of credits: `warehouse.credit_price`. */
import { sql } from 'kysely';
import type { PriceLine } from '../../model/imports/prices-file.ts';
import type { Dimension } from '../../model/table.ts';
import type { Database } from '../connection/connection.ts';

/** A row of `warehouse.credit_price`. */
export interface CreditPrice extends Omit<PriceLine, 'line' | 'validFrom'> {
  readonly validFrom: string;
}

/** All prices; locks the table against other writers until the transaction ends. */
export async function readPricesForWriting(db: Database): Promise<CreditPrice[]> {
  await sql`lock table warehouse.credit_price in share row exclusive mode`.execute(db);
  return readPrices(db);
}

/** All prices. */
export async function readPrices(db: Database): Promise<CreditPrice[]> {
  const rows = await db
    .selectFrom('warehouse.credit_price')
    .select(['model_id', 'model_tier', 'currency'])
    .select([
      // Zeros at the end are left out: a person may have written some, and the price is the same.
      sql<string>`trim_scale(price_per_million_credits)::text`.as('price'),
      sql<string>`valid_from::text`.as('valid_from'),
    ])
    .execute();
  return rows.map((row) => ({
    modelId: row.model_id,
    modelTier: row.model_tier,
    price: row.price,
    currency: row.currency,
    validFrom: row.valid_from,
  }));
}

/** The ids of all models that the platform has named; `models` is their dimension. */
export async function readKnownModels(db: Database, models: Dimension): Promise<Set<string>> {
  const { rows } = await sql<{ model_id: string }>`
    select distinct model_id from ${sql.table(`warehouse.${models.table}`)}
  `.execute(db);
  return new Set(rows.map(({ model_id }) => model_id));
}

/** Deletes and inserts rows. */
export async function writePrices(
  db: Database,
  removed: readonly CreditPrice[],
  added: readonly CreditPrice[],
): Promise<void> {
  const keys = (prices: readonly CreditPrice[]) => sql`
    ${prices.map(({ modelId }) => modelId)}::text[],
    ${prices.map(({ modelTier }) => modelTier)}::text[],
    ${prices.map(({ validFrom }) => validFrom)}::date[]`;
  if (removed.length > 0)
    await sql`
      delete from warehouse.credit_price
      where (model_id, model_tier, valid_from) in (select * from unnest(${keys(removed)}))
    `.execute(db);
  if (added.length > 0)
    await sql`
      insert into warehouse.credit_price (
        model_id, model_tier, valid_from, price_per_million_credits, currency
      )
      select * from unnest(
        ${keys(added)},
        ${added.map(({ price }) => price)}::numeric[],
        ${added.map(({ currency }) => currency)}::text[]
      )
    `.execute(db);
}
