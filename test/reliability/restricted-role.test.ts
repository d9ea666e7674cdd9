import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { expect, test } from 'vitest';
import { ownNamesOnly } from '../../tools/search-path.ts';
import { createEmptyDatabase } from '../support/database.ts';
import { install } from '../support/installation.ts';
import { expectWarehouseEqualsPayloads } from './database-condition.ts';

const range = { from: '2026-01-14', to: '2026-01-20' };
const schemas = ['warehouse', 'bi', 'bi_people', 'etl'];

test('a role that owns nothing but the three schemas can migrate and load', async () => {
  const role = `loader_${randomBytes(6).toString('hex')}`;
  const password = randomBytes(12).toString('hex');
  await using installation = await install();
  const database = await createEmptyDatabase();
  const { pool } = database;
  const { pathname } = new URL(database.url);
  const name = pg.escapeIdentifier(pathname.slice(1));
  await pool.query(`create role ${role} login password '${password}' nosuperuser nocreatedb nocreaterole`);
  try {
    for (const schema of schemas) await pool.query(`create schema ${schema} authorization ${role}`);
    await pool.query(
      `revoke create on database ${name} from public; revoke all on schema public from public`,
    );
    const url = new URL(database.url);
    url.username = role;
    url.password = password;
    const environment = { DATABASE_URL: url.href };

    const refused = new pg.Client({ ...ownNamesOnly, connectionString: url.href });
    await refused.connect();
    await expect(refused.query('create schema other')).rejects.toMatchObject({ code: '42501' });
    await refused.end();

    expect(await installation.run('migrate', environment)).toMatchObject({ code: 0 });
    expect(await installation.run('doctor', environment)).toMatchObject({ code: 0 });
    const loaded = await installation.load(`backfill --from ${range.from} --to ${range.to}`, environment);
    expect(loaded).toMatchObject({ code: 0, summary: { status: 'succeeded', slices: { loaded: 35 } } });
    await expectWarehouseEqualsPayloads({ ...installation, database }, range);
    expect(await installation.run(`status --check --to ${range.to}`, environment)).toMatchObject({ code: 0 });
  } finally {
    const admin = new pg.Client({ ...ownNamesOnly, connectionString: installation.database.url });
    await database.drop();
    await admin.connect();
    await admin.query(`drop role ${role}`);
    await admin.end();
  }
  console.log('migrate, backfill and status as the owner of three schemas: exit 0, warehouse equal');
});
