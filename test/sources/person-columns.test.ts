import { expect, test } from 'vitest';
import { namesNobody, personPlaces } from '../../src/sources/person-columns.ts';
import { createTestDatabase } from '../support/database.ts';

const figuresAndTimes = [
  'bigint',
  'boolean',
  'date',
  'double precision',
  'integer',
  'numeric',
  'timestamp with time zone',
  'uuid',
];

test('of every column that may hold text or bytes it is decided whether it may name a person', async () => {
  const database = await createTestDatabase();
  try {
    const { rows } = await database.pool.query<{ name: string; type: string; has_views: boolean }>(
      `select
        format('%s.%s', c.oid::regclass, a.attname) as name,
        regexp_replace(format_type(a.atttypid, -1), '\\[\\]$', '') as type
      from pg_attribute as a
      join pg_class as c on c.oid = a.attrelid
      where c.relnamespace in ('etl'::regnamespace, 'warehouse'::regnamespace)
        and c.relkind in ('r', 'p', 'm')
        and a.attnum > 0
        and not a.attisdropped
        -- follows the columns that it is made of
        and a.attgenerated = ''
      order by 1`,
    );
    const texts = rows.filter(({ type }) => !figuresAndTimes.includes(type)).map(({ name }) => name);
    const decided = [...personPlaces, ...namesNobody].map(({ table, column }) => `${table}.${column}`);
    expect(texts.length).toBeGreaterThan(30);
    expect(decided.sort()).toEqual(texts.sort());
  } finally {
    await database.drop();
  }
});
