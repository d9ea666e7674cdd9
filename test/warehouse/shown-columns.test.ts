/** Whatever stands in the tables, no text of the views shows an e-mail or a secret of it. */
import type pg from 'pg';
import { expect, test } from 'vitest';
import { namesNobody } from '../../src/sources/person-columns.ts';
import { createTestDatabase } from '../support/database.ts';

/** Text columns of `bi` that hold words of this program, or show persons in another way, by the reason why. */
const ofOurs: Readonly<Record<string, readonly string[]>> = {
  'names the organization': ['org_id'],
  'the name of an endpoint, a reason or a status that this program gives': [
    'data_freshness.endpoint',
    'data_gaps.endpoint',
    'data_gaps.reason',
    'users.status',
  ],
  'seeded by a migration': [
    'adoption_by_client.description',
    'autonomy_levels.description',
    'calendar.day_name',
    'calendar.month_name',
  ],
  'three capital letters': ['cost_by_month.currency', 'credits_by_team.currency'],
  'first letter and domain': ['user_label'],
};

const leak = 'https://ann:hunter2@corp.example/x?api_key=hunter2&to=ann%40corp.example ann@corp.example';
const day = '2026-02-02';

/** What a column needs that is not merely of its type. */
const special: Readonly<Record<string, string | null>> = {
  'warehouse.dim_org.org_id': 'org_1',
  'warehouse.dim_repository.repo_url': 'git@ann%40corp.example:ann@corp.example/ann@corp.example',
  'warehouse.dim_user.user_email': 'ann@corp.example',
  'warehouse.fact_computer_daily.status': `error ${leak}`,
  'warehouse.fact_computer_step_daily.status': 'error',
  'warehouse.credit_price.currency': 'EUR',
  'warehouse.person_assignment.valid_to': 'infinity',
  'etl.asked_range.endpoint': 'tools',
  'etl.slice.endpoint': 'users',
  'etl.slice.status': 'loaded',
  'etl.slice.slice_key': day,
  'etl.slice.believed_by': null,
};

/** A value of each type; rows of all tables belong together, because all their keys are 1. */
const ofType: Readonly<Record<string, string>> = {
  integer: '1',
  bigint: '1',
  numeric: '1',
  'double precision': '1',
  boolean: 'true',
  date: day,
  'timestamp with time zone': `${day}T10:00:00Z`,
  uuid: '0b9cbf0c-6f6f-4b34-9d2c-8d2b5c1c5e11',
  bytea: '\\x00',
  jsonb: '{}',
};

/** One row in each table of the star and in what the views read of the ledger, with a leak in every text. */
async function fill(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ table: string; column: string; type: string }>(
    `select c.oid::regclass::text as table, a.attname as column, format_type(a.atttypid, -1) as type
    from pg_attribute as a
    join pg_class as c on c.oid = a.attrelid
    where c.relkind in ('r', 'p') and not c.relispartition
      and (c.relnamespace = 'warehouse'::regnamespace and c.relname <> 'dim_date'
        or c.oid = any (array['etl.asked_range', 'etl.slice', 'etl.session']::regclass[]))
      and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and a.attidentity <> 'a'
    order by a.attnum`,
  );
  const words = new Set(
    namesNobody.flatMap(({ table, column, kind }) => (kind === 'words' ? [`${table}.${column}`] : [])),
  );
  for (const [table, columns] of Map.groupBy(rows, (row) => row.table)) {
    const valueFor = ({ column, type }: { column: string; type: string }) => {
      const name = `${table}.${column}`;
      if (name in special) return special[name] ?? null;
      return ofType[type] ?? (words.has(name) || type !== 'text' ? null : leak);
    };
    // Where there is none, the default of the column is meant.
    const given = columns.filter((column) => valueFor(column) !== null);
    await client.query(
      `insert into ${table} (${given.map(({ column }) => `"${column}"`).join(', ')})
      values (${given.map((_, index) => `$${index + 1}`).join(', ')})`,
      given.map(valueFor),
    );
  }
  await client.query(
    `insert into etl.slice (org_key, endpoint, slice_key, usage_date, status, error)
    values (1, 'tools', $1, $2, 'failed', $3)`,
    [day, day, leak],
  );
}

test('no text column of any view shows an e-mail or a secret that a table holds', async () => {
  const database = await createTestDatabase();
  const client = await database.pool.connect();
  try {
    // Rows of dimensions that migrations seed have the same keys.
    await client.query("set session_replication_role = 'replica'");
    await client.query(
      'truncate warehouse.dim_client, warehouse.dim_autonomy_level, warehouse.dim_org cascade',
    );
    await client.query(
      "insert into warehouse.dim_date (date_day) select '2026-02-02' where not exists (select from warehouse.dim_date where date_day = '2026-02-02')",
    );
    await fill(client);
    const { rows: columns } = await client.query<{ view: string; column: string }>(
      `select c.relname as view, a.attname as column
      from pg_attribute as a
      join pg_class as c on c.oid = a.attrelid
      where c.relnamespace = 'bi'::regnamespace and a.attnum > 0 and not a.attisdropped
        and a.atttypid in ('text'::regtype, 'text[]'::regtype, 'varchar'::regtype, 'json'::regtype)
      order by 1, 2`,
    );
    expect(columns.length).toBeGreaterThan(60);
    const ours = Object.values(ofOurs).flat();
    const shown: string[] = [];
    for (const { view, column } of columns) {
      const { rows } = await client.query<{ value: string | null }>(
        `select "${column}"::text as value from bi.${view}`,
      );
      const told = JSON.stringify(rows);
      expect(told, `${view}.${column}`).not.toMatch(/ann@|ann%40|hunter2/i);
      if (told.includes('…')) shown.push(`${view}.${column}`);
    }
    const isOurs = ({ view, column }: { view: string; column: string }) =>
      ours.includes(column) || ours.includes(`${view}.${column}`);
    expect(shown).toEqual(
      columns.filter((each) => !isOurs(each)).map(({ view, column }) => `${view}.${column}`),
    );
  } finally {
    client.release(true);
    await database.drop();
  }
});
