/** `npm run lint` checks that no later migration rewrites a fact under a lock. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startProgram } from '../support/program.ts';

/** What the check says of a file of migrations. */
async function check(name: string, text: string) {
  const folder = await mkdtemp(join(tmpdir(), 'usage-etl-migrations-'));
  try {
    await mkdir(join(folder, 'sql/migrations'), { recursive: true });
    await writeFile(join(folder, 'sql/migrations', name), text);
    return await startProgram('tools/online-migrations.ts', [], {}, folder).ended;
  } finally {
    await rm(folder, { recursive: true });
  }
}

test.each([
  ['another type', 'alter table warehouse.fact_user_daily\n  alter column sessions type numeric;'],
  [
    'a generated column',
    'alter table warehouse.fact_user_daily add column x integer generated always as (1) stored;',
  ],
  ['a default for each row', 'alter table warehouse.fact_user_daily add x uuid default gen_random_uuid();'],
  ['not null', 'alter table warehouse.bridge_user_language_daily alter language_key set not null;'],
  ['a unique key', 'alter table warehouse.fact_user_daily add constraint a unique (user_key);'],
  [
    'a foreign key that is checked',
    'alter table warehouse.fact_user_daily add foreign key (a) references b (a);',
  ],
  ['an index', 'create index a on warehouse.fact_user_daily (user_key);'],
  [
    'an update, also within a function',
    'do $$ begin update warehouse.fact_user_daily set sessions = 0; end $$;',
  ],
])('%s is refused by the name of its file', async (_what, text) => {
  const { code, stderr } = await check('0099_later.sql', `-- A change.\n${text}\n`);
  expect(stderr).toContain('sql/migrations/0099_later.sql: ');
  expect(code).toBe(1);
});

test('what changes only the catalog is accepted, and everything before 0.1.0', async () => {
  const harmless = `
    alter table warehouse.fact_user_daily add column x bigint;
    alter table warehouse.fact_user_daily add foreign key (x) references warehouse.dim_x (x) not enforced;
    alter table warehouse.fact_user_daily add constraint positive check (x > 0) not valid;
    create table warehouse.fact_new_daily (org_key integer primary key);
    -- update warehouse.fact_user_daily set x = 0;
    create index a on etl.slice (endpoint);`;
  expect(await check('0099_later.sql', harmless)).toMatchObject({ code: 0, stderr: '' });
  const text = 'create index a on warehouse.fact_user_daily (user_key);';
  expect((await check('0011_users.sql', text)).code).toBe(0);
});
