/**
 * A dump that is restored elsewhere is the same warehouse, and loading goes on in it. On 18 with the programs of
 * PG_TOOLS_18, for Debian's refuse a newer server; on an older one with those of its own version.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { describe, expect, inject, test } from 'vitest';
import { type Outcome, run } from '../../tools/command.ts';
import { administer } from '../../tools/template-database.ts';
import { createEmptyDatabase } from '../support/database.ts';
import { expectedWarehouse } from '../support/expected-warehouse.ts';
import { install, organization } from '../support/installation.ts';
import { storedWarehouse } from '../support/stored-warehouse.ts';

const version = await administer(inject('testDatabases').adminUrl, async (admin) => {
  const { rows } = await admin.query<{ major: number }>(
    "select current_setting('server_version_num')::integer / 10000 as major",
  );
  return rows[0]?.major ?? 0;
});
const tools = version >= 18 ? (process.env.PG_TOOLS_18 ?? '') : `/usr/lib/postgresql/${version}/bin`;
const name = `pg_dump and pg_restore of Postgres ${version}${version >= 18 ? ' (PG_TOOLS_18)' : ''}`;

/** All that a database says of itself but its numbers of objects: what is there, how it is described, who may do what. */
async function description(pool: pg.Pool): Promise<Readonly<Record<string, unknown[]>>> {
  const ours = "('warehouse', 'bi', 'bi_people', 'etl')";
  const lists = {
    relations: `select relation.oid::regclass::text as name, relation.relkind, relation.relacl::text as rights
      from pg_class as relation join pg_namespace as namespace on namespace.oid = relation.relnamespace
      where namespace.nspname in ${ours} and relation.relkind in ('r', 'p', 'v', 'S', 'i') order by 1`,
    // Postgres writes a view's conditions with other parentheses the second time: what it shows is compared below.
    columns: `select attrelid::regclass::text as relation, attnum, attname, format_type(atttypid, atttypmod) as type, attnotnull
      from pg_attribute join pg_class as relation on relation.oid = attrelid
      join pg_namespace as namespace on namespace.oid = relnamespace
      where namespace.nspname in ${ours} and attnum > 0 order by 1, 2`,
    schemas: `select nspname, nspacl::text as rights from pg_namespace where nspname in ${ours} order by 1`,
    constraints: `select conrelid::regclass::text as relation, conname, contype, pg_get_constraintdef(oid) as definition
      from pg_constraint where connamespace::regnamespace::text in ${ours} order by 1, 2`,
    comments: `select classoid::regclass::text as kind, pg_describe_object(classoid, objoid, objsubid) as object, description
      from pg_description
      where exists (select from pg_namespace where nspname in ${ours} and strpos(pg_describe_object(classoid, objoid, objsubid), nspname) > 0)
      order by 1, 2`,
    sequences: `select schemaname, sequencename, last_value from pg_sequences where schemaname in ${ours} order by 1, 2`,
  };
  const described: Record<string, unknown[]> = {};
  for (const [list, select] of Object.entries(lists)) described[list] = (await pool.query(select)).rows;
  return described;
}

/** A digest of the rows of each table and view. */
async function contents(pool: pg.Pool): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ name: string }>(
    `select relation.oid::regclass::text as name
    from pg_class as relation join pg_namespace as namespace on namespace.oid = relation.relnamespace
    where namespace.nspname in ('warehouse', 'bi', 'bi_people', 'etl') and relation.relkind in ('r', 'v') order by 1`,
  );
  const digests = new Map<string, string>();
  for (const { name: table } of rows) {
    const { rows: found } = await pool.query<{ digest: string }>(
      `select count(*) || ' rows, ' || coalesce(md5(string_agg(one::text, E'\\n' order by one::text)), '') as digest
      from ${table} as one`,
    );
    digests.set(table, found[0]?.digest ?? '');
  }
  return digests;
}

function succeeded({ code, output }: Outcome): void {
  expect(output).toBe('');
  expect(code).toBe(0);
}

describe.skipIf(tools === '' || !existsSync(join(tools, 'pg_restore')))(name, () => {
  test('a restored dump has all rows, keys, comments and rights, and loading goes on in it', async () => {
    await using installation = await install();
    const { database, load, payloads, run: runProgram } = installation;
    // As an operator does, so that the schema of the queue is there, too.
    expect((await runProgram('migrate')).code).toBe(0);
    expect((await load('backfill --from 2026-01-15 --to 2026-01-20')).code).toBe(0);
    const directory = await mkdtemp(join(tmpdir(), 'usage-etl-dump-'));
    const restored = await createEmptyDatabase();
    try {
      const file = join(directory, 'usage.dump');
      succeeded(
        await run(join(tools, 'pg_dump'), ['--format=custom', `--file=${file}`, `--dbname=${database.url}`]),
      );
      succeeded(await run(join(tools, 'pg_restore'), ['--exit-on-error', `--dbname=${restored.url}`, file]));

      const before = await description(database.pool);
      expect(before.constraints?.length).toBeGreaterThan(60);
      expect(before.comments?.length).toBeGreaterThan(400);
      expect(await description(restored.pool)).toEqual(before);
      const rows = await contents(database.pool);
      expect(rows.size).toBeGreaterThan(60);
      expect(await contents(restored.pool)).toEqual(rows);

      const there = { DATABASE_URL: restored.url, LOOKBACK_DAYS: '2' };
      const migrated = await runProgram('migrate --json', there);
      expect(migrated.code, migrated.stderr).toBe(0);
      expect(await description(restored.pool)).toEqual(before);
      // Days that it holds, days that it does not, and users that it has not seen yet.
      const nightly = await load('nightly --date 2026-01-23', there);
      expect(nightly.summary).toMatchObject({ status: 'succeeded', slices: { loaded: 15, failed: 0 } });
      expect(await storedWarehouse(restored.pool)).toEqual(
        expectedWarehouse(organization, payloads('2026-01-15', '2026-01-23')),
      );
      const replayed = await runProgram('replay --from 2026-01-15 --to 2026-01-20', there);
      expect(replayed.code, replayed.stderr).toBe(0);
      const verified = await runProgram('verify --strict', there);
      expect(verified.code, verified.stdout + verified.stderr).toBe(0);
    } finally {
      await restored.drop();
      await rm(directory, { recursive: true });
    }
  });
});
