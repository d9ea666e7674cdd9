/** What a migration makes of names that an earlier version stored. */
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { guessableName, nameUnder } from '../../src/model/withheld-emails.ts';
import { migrate } from '../../src/warehouse/migrations/migrations.ts';
import { sqlDirectory as ownSqlDirectory } from '../../src/warehouse/sql-files.ts';
import { createEmptyDatabase, type TestDatabase } from '../support/database.ts';

const address = 'ann@corp.example';

/** Gives `work` a database as it was before names had a form to show, which it fills and migrates. */
async function migrateLater(work: (database: TestDatabase) => Promise<void>): Promise<void> {
  const earlier = await mkdtemp(join(tmpdir(), 'earlier-sql-'));
  const database = await createEmptyDatabase();
  try {
    await cp(join(ownSqlDirectory, 'migrations'), join(earlier, 'migrations'), {
      recursive: true,
      filter: (path) => !/^0\d{3}/.test(basename(path)) || basename(path) < '0029',
    });
    await mkdir(join(earlier, 'views'));
    await migrate(database.url, { sqlDirectory: earlier });
    await work(database);
  } finally {
    await rm(earlier, { recursive: true });
    await database.drop();
  }
}

test('repositories lose who reads them, and digests of addresses become those under the key', async () => {
  await migrateLater(async ({ url, pool }) => {
    await pool.query(`
      insert into warehouse.dim_org (org_id) values ('org_1');
      insert into warehouse.dim_user (org_key, user_id) values (1, '${guessableName(address)}'), (1, '${address}');
      insert into warehouse.dim_skill (skill_name) values ('mail ${guessableName(address)}');
      insert into warehouse.dim_repository (org_key, repo_url) values
        (1, 'https://ann:t0ken@git.example/team/repo'), (1, 'https://git.example/team/repo'),
        (1, 'https://amy@git.example/team/other'), (1, 'ssh://git:pw@git.example/team/repo'),
        (1, 'git@git.example:team/repo');
      insert into warehouse.fact_readiness_report (org_key, report_id, repository_key)
      select 1, gen_random_uuid(), repository_key from warehouse.dim_repository;
      insert into etl.rejected_row (org_key, endpoint, reason, payload)
      values (1, 'users', 'made up', '{"a": "${guessableName(address)}"}')`);
    await migrate(url, { sqlDirectory: ownSqlDirectory });
    const { rows: reports } = await pool.query(`
      select repo_url, repo_url_shown, count(*)::integer as reports
      from warehouse.fact_readiness_report join warehouse.dim_repository using (org_key, repository_key)
      group by 1, 2 order by repo_url collate "C"`);
    expect(reports).toEqual(
      [
        ['git@git.example:team/repo', 1],
        ['https://git.example/team/other', 1],
        ['https://git.example/team/repo', 2],
        ['ssh://git@git.example/team/repo', 1],
      ].map(([url, count]) => ({ repo_url: url, repo_url_shown: url, reports: count })),
    );
    const { rows: keys } = await pool.query<{ key: Buffer }>('select key from etl.address_key');
    const name = nameUnder(keys[0]?.key ?? Buffer.alloc(0))(address);
    const { rows: stored } = await pool.query(`
      select
        array(select user_id from warehouse.dim_user order by user_key) as users,
        array(select user_id_shown || ' ' || user_label from warehouse.dim_user order by user_key) as shown,
        (select skill_name_shown from warehouse.dim_skill) as skill,
        (select payload ->> 'a' from etl.rejected_row) as rejected`);
    expect(stored).toEqual([
      {
        users: [name, address],
        shown: [`${name} ${name}`, '…2 a***@corp.example'],
        skill: `mail ${name}`,
        rejected: name,
      },
    ]);
  });
});

test('what is shown of stored names follows what is known of e-mails and secrets', async () => {
  await migrateLater(async ({ url, pool }) => {
    await pool.query(`
      insert into warehouse.dim_org (org_id) values ('org_1');
      insert into warehouse.dim_user (org_key, user_id) values (1, 'ann&#64;corp'), (1, 'user_2');
      insert into warehouse.dim_skill (skill_name) values ('token: abcdef'), ('plain');
      insert into warehouse.dim_hook (event, matcher, command) values ('Stop', '*', 'run --oauth2-bearer abc');
      insert into warehouse.dim_repository (org_key, repo_url) values (1, 'https://git.example/dckr_pat_abcdefGHIJK/x')`);
    await migrate(url, { sqlDirectory: ownSqlDirectory });
    const { rows } = await pool.query(`
      select
        array(select user_id_shown || ' ' || user_label from warehouse.dim_user order by user_key) as users,
        array(select skill_name_shown from warehouse.dim_skill order by skill_key) as skills,
        (select command_shown from warehouse.dim_hook) as command,
        (select owner_shown from warehouse.dim_repository) as owner`);
    expect(rows).toEqual([
      {
        users: ['…1 ***', 'user_2 user_2'],
        skills: ['token: …', 'plain'],
        command: 'run --oauth2-bearer …',
        owner: '…',
      },
    ]);
  });
});
