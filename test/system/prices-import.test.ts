import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { changes, installForImports } from '../support/imports.ts';

let imports: Awaited<ReturnType<typeof installForImports>>;

beforeEach(async () => {
  imports = await installForImports();
});

afterEach(() => imports[Symbol.asyncDispose]());

const prices = () =>
  imports.rows(
    `select model_id, model_tier, price_per_million_credits::text, currency, valid_from::text
    from warehouse.credit_price order by 1, 2, 5`,
  );

describe('prices import', () => {
  const header = 'model_id,model_tier,price_per_million_credits,currency,valid_from';

  test('replaces all prices of the models in the file, and leaves the others', async () => {
    await imports.importLines('prices', [
      header,
      'm1,*,10,EUR,2026-01-14',
      'm1,thinking,20.50,EUR,2026-01-14',
      'm2,*,1,EUR,2026-01-14',
    ]);
    const lines = [header, 'm1,*,0.000000000000000001,EUR,2026-01-14', 'm1,*,12,EUR,2026-02-01'];
    expect(await imports.importLines('prices', lines)).toMatchObject(changes(1, 1, 1));
    expect(await prices()).toEqual([
      'm1|*|0.000000000000000001|EUR|2026-01-14',
      'm1|*|12|EUR|2026-02-01',
      'm2|*|1|EUR|2026-01-14',
    ]);
    expect(
      await imports.importLines('prices', [...lines.slice(0, 2), 'm1,*,012.00,EUR,2026-02-01']),
    ).toMatchObject(changes(0, 0, 0));
  });

  test('tells every bad line by its number, and imports nothing of such a file', async () => {
    const { code, stderr } = await imports.importLines('prices', [
      header,
      'm1,*,10,EUR,2026-01-14',
      ',*,10,EUR,2026-01-14',
      'm2,,10,EUR,2026-01-14',
      'm3,*,-1,EUR,2026-01-14',
      'm4,*,10,eur,2026-01-14',
      'm5,*,10,USD,2026-01-14',
      'm6,*,10,EUR,yesterday',
      'm1,*,11,EUR,2026-01-14',
    ]);
    expect(code).toBe(2);
    for (const [line, column] of [
      [3, 'model_id'],
      [4, 'model_tier'],
      [5, 'price_per_million_credits'],
      [6, 'currency'],
      [7, 'currency'],
      [8, 'valid_from'],
      [9, 'valid_from'],
    ])
      expect(stderr).toContain(`usage-etl: line ${line}: ${column}: `);
    expect(await prices()).toEqual([]);
  });

  test('says which models the platform has not named yet', async () => {
    const { pool } = imports.installation.database;
    await pool.query(`insert into warehouse.dim_model (model_id, model_tier) values ('m1', 'standard')`);
    const lines = [header, 'm1,*,10,EUR,2026-01-14', 'no-such-model,*,10,EUR,2026-01-14'];
    const { told } = await imports.importLines('prices', lines);
    expect(told).toMatchObject({ models: 2, unknown: 1 });
    const file = fileURLToPath(new URL('../fixtures/prices.csv', import.meta.url));
    const { stdout } = await imports.installation.run(`prices import ${file}`);
    expect(stdout).toContain('1 model of them not seen yet: model-1; check the spelling');
  });

  test('keeps one currency in the whole table, and changes it where all models come', async () => {
    await imports.importLines('prices', [header, 'm1,*,10,EUR,2026-01-14', 'm2,*,10,EUR,2026-01-14']);
    const refused = await imports.importLines('prices', [header, 'm1,*,11,USD,2026-01-14']);
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('line 2: currency: expected EUR'),
    });
    expect(
      await imports.importLines('prices', [header, 'm1,*,11,USD,2026-01-14', 'm2,*,11,USD,2026-01-14']),
    ).toMatchObject(changes(0, 2, 0));
  });
});
