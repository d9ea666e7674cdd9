import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, inject, test } from 'vitest';
import { startEmbeddedPostgres } from '../../src/embedded/embedded-postgres.ts';
import { migrate } from '../../src/warehouse/migrations/migrations.ts';
import { administer } from '../../tools/template-database.ts';
import { createEmptyDatabase } from '../support/database.ts';
import { install, sharedInstallation } from '../support/installation.ts';
import { startPooler } from '../support/pooler.ts';

const load = 'backfill --from 2026-01-14 --to 2026-01-14';

const installation = await sharedInstallation({ users: 5 });

type Parts = Partial<Pick<URL, 'hostname' | 'port' | 'username' | 'password' | 'pathname' | 'search'>>;

/** The address of the test's database, or another, with something else in it. */
function withParts(parts: Parts, address = installation.database.url): string {
  return Object.assign(new URL(address), parts).href;
}

/** The command ends with the code and one sentence, and asks the platform for nothing. */
async function expectEnd(url: string, code: 1 | 2, sentence: RegExp, commandLine = load): Promise<void> {
  const ended = await installation.run(commandLine, { DATABASE_URL: url });
  expect(ended).toMatchObject({ code, stdout: '' });
  const told = ended.stderr.split('\n').filter((line) => line.startsWith('usage-etl: '));
  expect(told).toEqual([expect.stringMatching(sentence)]);
  expect(ended.stderr).not.toMatch(/^\s+at /m);
  expect(installation.simulator.requests).toEqual([]);
}

describe('a database that cannot be reached now ends the program with exit code 1', () => {
  const cannot = /^usage-etl: DATABASE_URL: the database cannot be reached now: /;

  test('for an unknown host', async () => {
    for (const command of [load, 'status', 'migrate'])
      await expectEnd(
        withParts({ hostname: 'db.example.invalid', search: 'sslmode=disable' }),
        1,
        cannot,
        command,
      );
  });

  test('where nobody listens, or whoever listens hangs up', async () => {
    const listener = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const address = listener.address();
    if (address === null || typeof address === 'string') throw new TypeError('expected a TCP port');
    const url = withParts({ hostname: '127.0.0.1', port: String(address.port) });
    await expectEnd(url, 1, cannot);
    await new Promise((resolve) => listener.close(resolve));
    await expectEnd(url, 1, cannot);
  });
});

describe('a database that cannot be used as configured ends it with exit code 2', () => {
  test('for a wrong password, an unknown role and an unknown database', async () => {
    const login = /^usage-etl: DATABASE_URL: the server refuses the login; check role, password/;
    await expectEnd(withParts({ password: 'wrong' }), 2, login);
    await expectEnd(withParts({ username: 'nobody_knows' }), 2, login);
    await expectEnd(withParts({ password: '' }), 2, /DATABASE_URL: the server asks for a password/);
    await expectEnd(
      withParts({ pathname: '/no_such_database' }),
      2,
      /^usage-etl: DATABASE_URL: the server has no such database/,
    );
  });

  test('where TLS does not work', async () => {
    await expectEnd(
      withParts({ search: 'sslmode=require' }),
      2,
      /^usage-etl: DATABASE_URL: TLS does not work as sslmode demands/,
    );
  });

  test('where nothing can be written, though it can be read', async () => {
    const { pool, url } = installation.database;
    const name = pg.escapeIdentifier(new URL(url).pathname.slice(1));
    await pool.query(`alter database ${name} set default_transaction_read_only = on`);
    try {
      for (const command of [load, 'migrate', 'verify --from 2026-01-14 --to 2026-01-14'])
        await expectEnd(url, 2, /^usage-etl: DATABASE_URL: the database is read-only.*SECURITY\.md/, command);
      for (const command of ['status', 'migrate --status', `${load} --dry-run`])
        expect((await installation.run(command)).code).toBe(0);
    } finally {
      await administer(inject('testDatabases').adminUrl, (admin) =>
        admin.query(`alter database ${name} reset default_transaction_read_only`),
      );
    }
  });

  test('on a replica', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'usage-etl-replica-'));
    const directory = join(parent, '.data');
    const primary = await startEmbeddedPostgres({ directory });
    await migrate(primary.url);
    await primary.stop();
    await writeFile(join(primary.home, 'server/data/standby.signal'), '');
    const replica = await startEmbeddedPostgres({ directory });
    try {
      for (const command of [load, 'migrate'])
        await expectEnd(replica.url, 2, /^usage-etl: DATABASE_URL: leads to a replica/, command);
      expect((await installation.run('status', { DATABASE_URL: replica.url })).code).toBe(0);
    } finally {
      await replica.stop();
      await rm(replica.home, { recursive: true, force: true });
      await rm(parent, { recursive: true, force: true });
    }
  });

  test('for a role that lacks a right, which is named', async () => {
    const role = `loader_${randomBytes(6).toString('hex')}`;
    const password = randomBytes(12).toString('hex');
    await using another = await install({ users: 5 });
    const { pool, url } = another.database;
    const database = pg.escapeIdentifier(new URL(url).pathname.slice(1));
    const asRole = withParts({ username: role, password }, url);
    await pool.query(`create role ${role} login password '${password}'`);
    try {
      await expectEnd(
        asRole,
        2,
        /role \w+ lacks the right to read and write etl\.\w+ and \d+ others.*SECURITY\.md/,
      );
      await expectEnd(asRole, 2, /role \w+ lacks the right to read etl\.\w+ and \d+ others/, 'status');
      await pool.query(
        `grant usage on schema warehouse, bi, etl to ${role};
         grant select on all tables in schema warehouse, bi, etl to ${role}`,
      );
      expect((await another.run('status', { DATABASE_URL: asRole })).code).toBe(0);
      await pool.query(`revoke temporary on database ${database} from public`);
      await expectEnd(
        asRole,
        2,
        /lacks the right TEMP.*grant temporary on database .* to loader_.*SECURITY\.md/,
      );
      await pool.query(`revoke connect on database ${database} from public`);
      await expectEnd(asRole, 2, /lacks the right CONNECT/);
    } finally {
      await pool.query(`drop owned by ${role}; drop role ${role}`);
    }
  });

  test('with another encoding, and after a newer version of the program', async () => {
    const other = await createEmptyDatabase("encoding 'SQL_ASCII' locale_provider libc locale 'C'");
    await expectEnd(
      other.url,
      2,
      /^usage-etl: DATABASE_URL: expected .* encoding UTF8, got SQL_ASCII/,
      'migrate',
    );
    await other.drop();
    await using another = await install({ users: 5 });
    await another.database.pool.query(`insert into etl.migration values ('9999_from_the_future', now())`);
    for (const command of [load, 'migrate', 'status'])
      await expectEnd(another.database.url, 2, /9999_from_the_future.*update the program/, command);
  });

  test('through a transaction pooler', async () => {
    const pooler = await startPooler(installation.database.url, 'transaction');
    try {
      for (const command of [load, 'status', 'migrate', 'migrate --status'])
        await expectEnd(
          pooler.url,
          2,
          /^usage-etl: DATABASE_URL: leads through a transaction pooler/,
          command,
        );
      // What we set for ourselves would be set for whoever gets the session next.
      const other = new pg.Client({ connectionString: pooler.url });
      await other.connect();
      const { rows } = await other.query('show statement_timeout');
      expect(rows).toEqual([{ statement_timeout: '0' }]);
      await other.end();
    } finally {
      await pooler.close();
    }
  });
});

describe('through a pooler that gives a session on as the last client left it', () => {
  const refused = /^usage-etl: DATABASE_URL: leads through a connection pooler that leaves a transaction/;

  test('no run begins', async () => {
    const pooler = await startPooler(installation.database.url, 'raw');
    try {
      await expectEnd(pooler.url, 2, refused);
    } finally {
      await pooler.close();
    }
  });

  test.each(['begin', 'begin; select 1 / 0'])(
    'nobody goes on in the transaction of another (%s)',
    async (begin) => {
      const pooler = await startPooler(installation.database.url, 'raw');
      try {
        const other = new pg.Client({ connectionString: pooler.url });
        await other.connect();
        await other.query(begin).catch(() => undefined);
        await other.end();
        for (const command of [load, 'migrate']) await expectEnd(pooler.url, 2, refused, command);
      } finally {
        await pooler.close();
      }
    },
  );
});

test('a session pooler will do', async () => {
  await using another = await install({ users: 5 });
  const pooler = await startPooler(another.database.url, 'session');
  try {
    expect(await another.run('migrate', { DATABASE_URL: pooler.url })).toMatchObject({ code: 0 });
    expect(await another.run(load, { DATABASE_URL: pooler.url })).toMatchObject({ code: 0 });
  } finally {
    await pooler.close();
  }
});
