import { expect, test } from 'vitest';
import { searchPath } from '../../src/model/search-path.ts';
import { sharedTestDatabase } from '../support/database.ts';

const database = await sharedTestDatabase();

test('a function looks for no name in the search path of its caller: its body is kept parsed, or it sets the path', async () => {
  const { rows } = await database.pool.query<{
    routine: string;
    is_parsed: boolean;
    settings: string[] | null;
  }>(
    `select routine.oid::regprocedure::text as routine, prosqlbody is not null as is_parsed, proconfig as settings
    from pg_proc as routine
    join pg_namespace as namespace on namespace.oid = routine.pronamespace
    where nspname in ('warehouse', 'bi', 'bi_people', 'etl')`,
  );
  expect(rows.filter(({ is_parsed }) => is_parsed)).not.toEqual([]);
  const others = rows.filter(({ is_parsed }) => !is_parsed);
  expect(others).not.toEqual([]);
  for (const { routine, settings } of others)
    expect({ routine, settings }).toEqual({ routine, settings: [`search_path=${searchPath}`] });
});
