import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { startEmbeddedPostgres } from '../../src/embedded/embedded-postgres.ts';
import { migrate } from '../../src/warehouse/migrations/migrations.ts';
import { ownNamesOnly } from '../../tools/search-path.ts';
import { at } from '../support/deploy-tools.ts';

const hasPsql = spawnSync('psql', ['--version']).status === 0;

/** A file of docker-compose.yml, as a container gets it. */
function fileOf(name: string): string {
  const content = at(parse(readFileSync('docker-compose.yml', 'utf8')), 'configs', name, 'content');
  return String(content).replaceAll('$$', '$');
}

test('the script that makes the role is one for sh', () => {
  execFileSync('sh', ['-n'], { input: fileOf('role.sh') });
});

test('every service of the program logs in as the role that is made for it', () => {
  const composed: unknown = parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true });
  for (const service of ['migrate', 'scheduler', 'demo-backfill', 'demo'])
    expect(at(composed, 'services', service, 'environment', 'DATABASE_URL_FILE')).toBe(
      '/run/login/database-url',
    );
});

test.skipIf(!hasPsql)(
  'the role may migrate and owns what an earlier file had made as a superuser, whenever it is made',
  {
    timeout: 120_000,
  },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'usage-etl-role-'));
    const server = await startEmbeddedPostgres({ directory: join(folder, '.data') });
    const asSuperuser = new pg.Client({ ...ownNamesOnly, connectionString: server.url });
    try {
      await asSuperuser.connect();
      writeFileSync(join(folder, 'role.sql'), fileOf('role.sql'));
      const make = () =>
        execFileSync(
          'psql',
          [
            '--no-psqlrc',
            '--quiet',
            '--set=ON_ERROR_STOP=1',
            `--file=${join(folder, 'role.sql')}`,
            server.url,
          ],
          {
            env: { ...process.env, LOADER_PASSWORD: 'drawn', PGOPTIONS: '-c search_path=pg_catalog,pg_temp' },
          },
        );
      const asLoader = Object.assign(new URL(server.url), { username: 'usage_etl', password: 'drawn' }).href;

      make();
      const first = await migrate(asLoader);
      expect(first).toMatchObject({ alreadyApplied: [], warnings: [] });
      await asSuperuser.query('drop schema etl, warehouse, bi, bi_people cascade');
      await migrate(server.url);
      await expect(migrate(asLoader)).rejects.toThrow('lacks a right');
      make();
      make();
      expect(await migrate(asLoader)).toMatchObject({ applied: [], warnings: [] });
      const { rows } = await asSuperuser.query(
        `select distinct owner::regrole::text, (select rolsuper from pg_roles where oid = owner) as is_superuser
      from (
        select relowner as owner from pg_class where relnamespace in (select oid from pg_namespace where nspname in ('etl', 'warehouse', 'bi', 'bi_people'))
        union all
        select proowner from pg_proc where pronamespace in (select oid from pg_namespace where nspname in ('etl', 'warehouse', 'bi', 'bi_people'))
        union all
        select nspowner from pg_namespace where nspname in ('etl', 'warehouse', 'bi', 'bi_people')
      ) as owned`,
      );
      expect(rows).toEqual([{ owner: 'usage_etl', is_superuser: false }]);
    } finally {
      await asSuperuser.end();
      await server.stop();
      rmSync(server.home, { recursive: true, force: true });
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
