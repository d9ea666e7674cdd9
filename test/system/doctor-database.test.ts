/** What `doctor` finds wrong with the database. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEmptyDatabase } from '../support/database.ts';
import { examined } from '../support/examined.ts';
import { type Installation, install } from '../support/installation.ts';
import { startPasswordServer } from '../support/password-server.ts';
import { startPooler } from '../support/pooler.ts';
import { startSilentProxy } from '../support/silent-proxy.ts';
import { startTlsFront } from '../support/tls-front.ts';

let installation: Installation;
let folder: string;

beforeAll(async () => {
  installation = await install({ users: 5 });
  folder = await mkdtemp(join(tmpdir(), 'usage-etl-doctor-'));
});

afterAll(async () => {
  await installation[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const examine = (environment: Readonly<Record<string, string>> = {}) =>
  examined(installation, { DATA_DIR: folder, ...environment });

describe('doctor', () => {
  test('finds a database that cannot be reached, and one that refuses the login', async () => {
    const [nowhere, stranger] = [new URL(installation.database.url), new URL(installation.database.url)];
    nowhere.port = '1';
    stranger.pathname = '/no_such_database';
    for (const url of [nowhere, stranger]) {
      const { failed, find } = await examine({ DATABASE_URL: url.href });
      expect(failed).toEqual(['DATABASE_URL']);
      expect(find('migrations')).toMatchObject({ status: 'skipped' });
      expect(find('API_KEY')).toMatchObject({ status: 'ok' });
    }
  });

  test('finds what a database lacks: migrations, rights, a way around a pooler', async () => {
    const empty = await createEmptyDatabase();
    const role = `doctor_${process.pid}`;
    const name = pg.escapeIdentifier(new URL(empty.url).pathname.slice(1));
    try {
      await empty.pool.query(`create role ${role} login password 'pass'`);
      await empty.pool.query(`revoke create, temporary on database ${name} from public`);
      const url = Object.assign(new URL(empty.url), { username: role, password: 'pass' }).href;
      const { failed, find } = await examine({ DATABASE_URL: url });
      expect(failed).toEqual(['CREATE', 'TEMP', 'migrations']);
      expect(find('CREATE')?.next).toContain('create schema');
      expect(find('rights')).toMatchObject({ status: 'skipped' });
      await empty.pool.query(`alter role ${role} set default_transaction_read_only = on`);
      expect((await examine({ DATABASE_URL: url })).failed).toContain('read-only');
    } finally {
      await empty.drop();
      await installation.database.pool.query(`drop role ${role}`);
    }
    const pooler = await startPooler(installation.database.url, 'transaction');
    try {
      expect((await examine({ DATABASE_URL: pooler.url })).failed).toEqual(['pooler']);
    } finally {
      await pooler.close();
    }
  });

  test('warns of a superuser, of a schema in which anybody may create, and of any certificate', async () => {
    const { pool, url } = installation.database;
    const role = (await examine()).find('role');
    expect(role).toMatchObject({ status: 'warning', detail: expect.stringContaining('superuser') });
    expect(role?.next).toContain('SECURITY.md');
    await pool.query('grant create on schema public to public');
    try {
      expect((await examine()).find('public')).toMatchObject({
        status: 'warning',
        next: expect.stringContaining('revoke create on schema public from public'),
      });
    } finally {
      await pool.query('revoke create on schema public from public');
    }
    const front = await startTlsFront(new URL(url).hostname, Number(new URL(url).port));
    try {
      const unverified = Object.assign(new URL(url), { port: String(front.port), search: 'sslmode=require' });
      const { failed, find } = await examine({ DATABASE_URL: unverified.href });
      expect(failed).toEqual([]);
      expect(find('DATABASE_URL')).toMatchObject({
        status: 'warning',
        next: expect.stringMatching(/sslmode=verify-full.*sslrootcert/),
      });
    } finally {
      await front.close();
    }
  });

  test('names a server that wants the password in clear text, and does not give it', async () => {
    const server = await startPasswordServer();
    const front = await startTlsFront('127.0.0.1', server.port);
    try {
      const url = `postgres://loader:secret-4711@127.0.0.1:${front.port}/usage?sslmode=require`;
      const { failed, find } = await examine({ DATABASE_URL: url });
      expect(failed).toEqual(['DATABASE_URL']);
      expect(find('DATABASE_URL')?.next).toContain('sslmode=verify-full');
      const { code, stderr } = await installation.run('status', { DATABASE_URL: url });
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: expect.stringMatching(
          /^usage-etl: DATABASE_URL: the server asks for the password in clear text/m,
        ),
      });
      expect(server.received()).not.toContain('secret-4711');
    } finally {
      await front.close();
      await server.close();
    }
  });

  test('waits for a silent database not longer than it says', async () => {
    const proxy = await startSilentProxy(installation.database.url);
    try {
      proxy.fallSilent();
      const { failed } = await examine({ DATABASE_URL: proxy.url });
      expect(failed).toEqual(['DATABASE_URL']);
    } finally {
      await proxy.close();
    }
  });

  test('starts no embedded Postgres, and says where it would lie', async () => {
    const { failed, find } = await examine({ DATABASE_URL: '' });
    expect(failed).toEqual([]);
    expect(find('DATABASE_URL')?.detail).toContain(folder);
    expect(find('migrations')).toMatchObject({ status: 'skipped' });
  });
});
