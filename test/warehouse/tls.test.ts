import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigurationError, explain } from '../../src/model/errors.ts';
import { openPool } from '../../src/warehouse/connection/connection.ts';
import { connectionSecurity } from '../../src/warehouse/connection/tls.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { startPasswordServer } from '../support/password-server.ts';
import { authorityFile, startTlsFront, type TlsFront } from '../support/tls-front.ts';

describe('TLS to Postgres follows sslmode', () => {
  let database: TestDatabase;
  let front: TlsFront;

  beforeAll(async () => {
    database = await createTestDatabase();
    const { hostname, port } = new URL(database.url);
    front = await startTlsFront(hostname, Number(port || 5432));
  });

  afterAll(async () => {
    await front.close();
    await database.drop();
  });

  function urlThroughFront(host: string, parameters: Record<string, string>): string {
    const url = new URL(database.url);
    url.hostname = host;
    url.port = String(front.port);
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url.href;
  }

  async function connectionFails(url: string): Promise<string | undefined> {
    const pool = openPool(url, 1);
    try {
      await pool.query('select 1');
      return undefined;
    } catch (error) {
      return explain(error);
    } finally {
      await pool.end();
    }
  }

  it('verify-full accepts the host that the certificate names, and encrypts', async () => {
    const before = front.encrypted();
    const url = urlThroughFront('localhost', { sslmode: 'verify-full', sslrootcert: authorityFile });
    expect(await connectionFails(url)).toBeUndefined();
    expect(front.encrypted()).toBe(before + 1);
  });

  it('verify-full refuses a host that the certificate does not name', async () => {
    const url = urlThroughFront('127.0.0.1', { sslmode: 'verify-full', sslrootcert: authorityFile });
    expect(await connectionFails(url)).toContain("does not match certificate's altnames");
  });

  it('verify-ca accepts any host with a certificate of the authority', async () => {
    const url = urlThroughFront('127.0.0.1', { sslmode: 'verify-ca', sslrootcert: authorityFile });
    expect(await connectionFails(url)).toBeUndefined();
  });

  it('verify-full and verify-ca refuse a certificate of an authority that is not trusted', async () => {
    for (const sslmode of ['verify-full', 'verify-ca'])
      expect(await connectionFails(urlThroughFront('localhost', { sslmode }))).toMatch(/certificate/);
  });

  it('require encrypts without asking who answers', async () => {
    const before = front.encrypted();
    expect(await connectionFails(urlThroughFront('127.0.0.1', { sslmode: 'require' }))).toBeUndefined();
    expect(front.encrypted()).toBe(before + 1);
  });

  it('takes the authority from PGSSLROOTCERT', async () => {
    process.env.PGSSLROOTCERT = authorityFile;
    try {
      expect(await connectionFails(urlThroughFront('localhost', { sslmode: 'verify-full' }))).toBeUndefined();
    } finally {
      delete process.env.PGSSLROOTCERT;
    }
  });

  it('verify-full verifies whatever the environment of Node says', async () => {
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    try {
      const url = urlThroughFront('localhost', { sslmode: 'verify-full' });
      expect(await connectionFails(url)).toMatch(/certificate/);
    } finally {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    }
  });

  it.each(['0', '1', 'true', 'false', 'no-verify', 'abc', ''])('ssl=%s has no say, and is named', (value) => {
    for (const sslmode of ['verify-full', 'disable']) {
      const url = urlThroughFront('localhost', { sslmode, sslrootcert: authorityFile, ssl: value });
      expect(() => openPool(url, 1)).toThrow(/DATABASE_URL: expected TLS to be set by sslmode alone.*"ssl"/);
    }
  });

  it('refuses a mode in PGSSLMODE that may fall back to plain text by the name of the variable', () => {
    process.env.PGSSLMODE = 'prefer';
    try {
      expect(() => openPool('postgres://h/d', 1)).toThrow(/^PGSSLMODE: expected sslmode to be one of/);
    } finally {
      delete process.env.PGSSLMODE;
    }
  });

  it('warns of plain text to another machine, unless somebody asked for it', () => {
    const warningOf = (url: string, environment: Record<string, string> = {}) =>
      connectionSecurity(url, environment).warning;
    expect(warningOf('postgres://u:p@db.example.com/d')).toMatch(/DATABASE_URL.*sslmode.*db\.example\.com/);
    expect(warningOf('postgres:///d?host=db.example.com')).toContain('db.example.com');
    expect(warningOf('postgres:///d', { PGHOST: 'db.example.com' })).toContain('db.example.com');
    expect(warningOf('postgres://[2001:db8::1]/d')).toContain('2001:db8::1');
    for (const url of [
      'postgres://db.example.com/d?sslmode=disable',
      'postgres://localhost/d',
      'postgres://127.0.0.1:5433/d',
      'postgres://[::1]/d',
      'postgres:///d',
      'postgres:///d?host=/var/run/postgresql',
      'postgres://%2Fvar%2Frun%2Fpostgresql/d',
    ])
      expect(warningOf(url), url).toBeUndefined();
    expect(warningOf('postgres://db.example.com/d', { PGSSLMODE: 'disable' })).toBeUndefined();
  });

  it('warns of TLS that takes any certificate, with what to do', () => {
    const warningOf = (url: string, environment: Record<string, string> = {}) =>
      connectionSecurity(url, environment).warning;
    const anyCertificate = /sslmode=require.*any certificate.*sslmode=verify-full.*sslrootcert/;
    expect(warningOf('postgres://db.example.com/d?sslmode=require')).toMatch(anyCertificate);
    expect(warningOf('postgres://localhost/d?sslmode=require')).toMatch(anyCertificate);
    expect(warningOf('postgres://db.example.com/d', { PGSSLMODE: 'require' })).toMatch(anyCertificate);
    for (const sslmode of ['require', 'verify-ca', 'verify-full'])
      expect(
        warningOf(`postgres://db.example.com/d?sslmode=${sslmode}&sslrootcert=${authorityFile}`),
      ).toBeUndefined();
  });

  describe('a password that the server wants in clear text', () => {
    const secret = 'secret-that-nobody-sees';

    async function attempt(parameters: Record<string, string>, isEncrypted = true) {
      const server = await startPasswordServer();
      const secured = await startTlsFront('127.0.0.1', server.port);
      try {
        const url = new URL(`postgres://loader:${secret}@localhost/usage`);
        url.port = String(isEncrypted ? secured.port : server.port);
        for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
        return { told: await connectionFails(url.href), received: server.received() };
      } finally {
        await secured.close();
        await server.close();
      }
    }

    it('is not sent to one that could be anybody, and the sentence says so', async () => {
      const { told, received } = await attempt({ sslmode: 'require' });
      expect(told).toMatch(/asks for the password in clear text/);
      expect(received).not.toContain(secret);
    });

    it('is sent to one whose certificate says who it is, and to this machine', async () => {
      const verified = await attempt({ sslmode: 'verify-full', sslrootcert: authorityFile });
      expect(verified.received).toContain(secret);
      expect((await attempt({}, false)).received).toContain(secret);
    });

    it('is not sent unencrypted to another machine', async () => {
      // Any address but loopback; this machine has one, and listens there.
      const address = Object.values(networkInterfaces())
        .flat()
        .find((each) => each?.family === 'IPv4' && !each.internal)?.address;
      const server = await startPasswordServer('0.0.0.0');
      try {
        const told = await connectionFails(
          `postgres://loader:${secret}@${address ?? '0.0.0.0'}:${server.port}/usage?sslmode=disable`,
        );
        expect(told).toMatch(/asks for the password in clear text/);
        expect(server.received()).not.toContain(secret);
      } finally {
        await server.close();
      }
    });
  });

  it('refuses a mode that may fall back to plain text, and a file that is not there', () => {
    expect(() => openPool(urlThroughFront('localhost', { sslmode: 'prefer' }), 1)).toThrow(
      ConfigurationError,
    );
    expect(() =>
      openPool(urlThroughFront('localhost', { sslmode: 'verify-full', sslrootcert: '/no/such/file' }), 1),
    ).toThrow('cannot be read');
  });

  it('refuses a pipe in the place of a certificate, without waiting for who writes into it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'usage-etl-tls-'));
    execFileSync('mkfifo', [join(folder, 'fifo')]);
    expect(() =>
      openPool(
        urlThroughFront('localhost', { sslmode: 'verify-full', sslrootcert: join(folder, 'fifo') }),
        1,
      ),
    ).toThrow('cannot be read');
    await rm(folder, { recursive: true });
  });
});
