/** What `doctor` finds, and that it finds all well where all is well. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AnsweringServer, sendJson, startAnsweringServer } from '../support/answering-server.ts';
import { examined } from '../support/examined.ts';
import { type Installation, install, organization } from '../support/installation.ts';

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

/** A platform whose answers a test writes. */
async function withPlatform(
  answer: Parameters<typeof startAnsweringServer>[0],
  work: (platform: AnsweringServer) => Promise<void>,
): Promise<void> {
  const platform = await startAnsweringServer(answer);
  try {
    await work(platform);
  } finally {
    await platform.close();
  }
}

describe('doctor', () => {
  test('finds all well where all is well, and names what was never loaded', async () => {
    const { checks } = await examine();
    expect(checks.map(({ name, status }) => `${status} ${name}`)).toEqual([
      'ok API_BASE_URL',
      'ok API_KEY',
      'ok clock',
      'ok DATABASE_URL',
      'ok read-only',
      'ok pooler',
      'warning role',
      'ok public',
      'ok owners',
      'ok CREATE',
      'ok TEMP',
      'ok migrations',
      'ok rights',
      'ok grants',
      'ok readers',
      'warning coverage',
      'ok DATA_DIR',
    ]);
    expect(checks[1]?.detail).toContain(organization);
  });

  test('prints a line for each check, with what to do next', async () => {
    const { code, stdout } = await installation.run('doctor', { API_KEY: 'member-key' });
    expect(code).toBe(2);
    expect(stdout).toMatch(/^✓ API_BASE_URL: /m);
    expect(stdout).toMatch(
      /^✗ API_KEY: it may not read analytics \(403\) → give its user the Manager or Owner role, or put a key of such a user into API_KEY$/m,
    );
    expect(stdout).toMatch(
      /^! coverage: never loaded: tokens, tools, activity, productivity, users → run `.*backfill`$/m,
    );
  });

  test('asks the platform at most three times, and writes nothing', async () => {
    const requests = installation.simulator.requests.length;
    await examine();
    expect(installation.simulator.requests.length - requests).toBeLessThanOrEqual(3);
    const { rows } = await installation.database.pool.query('select from etl.run');
    expect(rows).toEqual([]);
  });

  test('names each wrong setting once, by its variable, and checks the rest', async () => {
    const { failed, find } = await examine({ LOOKBACK_DAYS: 'three', PAGE_SIZE: '1000', API_KEY: '' });
    expect(failed.sort()).toEqual(['API_KEY', 'LOOKBACK_DAYS', 'PAGE_SIZE']);
    expect(find('API_BASE_URL')).toMatchObject({ status: 'skipped' });
    expect(find('migrations')).toMatchObject({ status: 'ok' });
  });

  test('names files with secrets that others may read', async () => {
    const [open, closed] = [join(folder, 'open-key'), join(folder, 'closed-url')];
    await writeFile(open, installation.environment.API_KEY ?? '', { mode: 0o644 });
    await writeFile(closed, installation.database.url, { mode: 0o600 });
    const { checks } = await examine({
      API_KEY: '',
      API_KEY_FILE: open,
      DATABASE_URL: '',
      DATABASE_URL_FILE: closed,
    });
    expect(checks.filter(({ name }) => name.endsWith('_FILE'))).toEqual([
      {
        name: 'API_KEY_FILE',
        status: 'warning',
        detail: `holds a secret, and others may read ${open}`,
        next: `chmod 600 ${open}`,
      },
      expect.objectContaining({ name: 'DATABASE_URL_FILE', status: 'ok' }),
    ]);
  });

  test('never shows a secret, wherever it comes from', async () => {
    const file = join(folder, 'key');
    await writeFile(file, 'secret-in-a-file-4711');
    const url = new URL(installation.database.url);
    url.password = 'secret-of-the-database';
    const { code, stdout, stderr } = await installation.run('doctor', {
      API_KEY: '',
      API_KEY_FILE: file,
      DATABASE_URL: url.href,
    });
    expect(code).toBe(2);
    expect(stdout + stderr).not.toMatch(/secret-/);
  });

  test.each([
    [401, 'API_KEY', /does not accept it/],
    [403, 'API_KEY', /may not read analytics/],
    [404, 'API_BASE_URL', /answers 404/],
    [500, 'API_BASE_URL', /answers 500/],
  ])('knows what a platform means that answers %i', async (status, name, detail) => {
    await withPlatform(
      (response) => sendJson(response, {}, status),
      async ({ url }) => {
        const { failed, find } = await examine({ API_BASE_URL: url.href });
        expect(failed).toEqual([name]);
        expect(find(name)?.detail).toMatch(detail);
      },
    );
  });

  test('does not send the credential where the platform redirects to', async () => {
    await withPlatform(
      (response) => sendJson(response, {}),
      async (other) =>
        withPlatform(
          (response) => sendJson(response, {}, 302, { location: other.url.href }),
          async ({ url }) => {
            const { failed, find } = await examine({ API_BASE_URL: url.href });
            expect(failed).toEqual(['API_BASE_URL']);
            expect(find('API_BASE_URL')?.detail).toContain('redirects to');
            expect(other.arrivals).toEqual([]);
          },
        ),
    );
  });

  test('tells a name that nobody knows, and a port where nobody listens', async () => {
    const unknown = await examine({ API_BASE_URL: 'https://platform.example.invalid' });
    expect(unknown.find('API_BASE_URL')?.detail).toContain('cannot be resolved');
    const refused = await examine({ API_BASE_URL: 'http://127.0.0.1:1' });
    expect(refused.find('API_BASE_URL')?.detail).toContain('cannot be reached');
    for (const { find } of [unknown, refused]) expect(find('API_KEY')).toMatchObject({ status: 'skipped' });
  });

  test.each([
    ['3 d ahead of', -3 * 86_400_000],
    ['6 min behind', 360_000],
  ])('finds a clock that is %s that of the platform', async (difference, offsetMs) => {
    await withPlatform(
      (response) => {
        response.setHeader('date', new Date(Date.now() + offsetMs).toUTCString());
        sendJson(response, { data: [], meta: { org_id: 'org_1' } });
      },
      async ({ url }) => {
        const { failed, find } = await examine({ API_BASE_URL: url.href });
        expect(failed).toEqual(['clock']);
        expect(find('clock')?.detail).toContain(difference);
      },
    );
  });

  test('asks for an older day where the platform does not serve yesterday yet', async () => {
    await withPlatform(
      (response, number) =>
        number === 1
          ? sendJson(response, {}, 400)
          : sendJson(response, { data: [], meta: { org_id: 'org_1' } }),
      async ({ url, arrivals }) => {
        const { failed } = await examine({ API_BASE_URL: url.href });
        expect(failed).toEqual([]);
        expect(arrivals).toHaveLength(2);
      },
    );
  });

  test('takes nobody else for the platform', async () => {
    await withPlatform(
      (response) => response.end('<html>Welcome</html>'),
      async ({ url }) => {
        const { failed } = await examine({ API_BASE_URL: url.href });
        expect(failed).toEqual(['API_BASE_URL']);
      },
    );
  });

  test('looks at the second host where one is set, and warns of what a run does without', async () => {
    const { url } = installation.simulator;
    expect((await examine({ APP_BASE_URL: url })).find('APP_BASE_URL')).toMatchObject({ status: 'ok' });
    const renamed = await examine({ APP_BASE_URL: url, READINESS_PATH: '/no/such/path' });
    expect(renamed.find('APP_BASE_URL')).toMatchObject({ status: 'warning' });
    expect((await examine({ APP_BASE_URL: 'http://127.0.0.1:1' })).failed).toEqual(['APP_BASE_URL']);
  });

  test('finds a directory that is none', async () => {
    const file = join(folder, 'a-file');
    await writeFile(file, '');
    const { failed } = await examine({ DATA_DIR: join(file, 'below') });
    expect(failed).toEqual(['DATA_DIR']);
  });
});
