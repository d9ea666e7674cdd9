/** One process that loads many organizations: none costs the others anything. */
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { afterEach, expect, test } from 'vitest';
import type { Fault } from '../../src/simulator/faults.ts';
import {
  idOf,
  installMany,
  type ManyOrganizations,
  type OrganizationOptions,
  outputOf,
} from '../support/many-organizations.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';
import { quickTiming } from '../support/timing.ts';

const night = '2026-03-10';
const nightly = `nightly --date ${night}`;
const unavailable: Fault = { kind: 'status', status: 503 };
const hangs: OrganizationOptions = { fault: () => ({ kind: 'hang' }), fields: { request_timeout_ms: 3_000 } };
const slow: OrganizationOptions = { fault: () => ({ kind: 'delay', ms: 150 }) };
/** An organization lets another one work after a moment. */
const timing = { ...quickTiming, unansweredMs: 200 };

let many: ManyOrganizations;

afterEach(() => many[Symbol.asyncDispose]());

function named(count: number, options: OrganizationOptions = {}): Record<string, OrganizationOptions> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`good-${index}`, { ...options }]));
}

/** Waits until a question to the database has an answer. */
async function until(question: string): Promise<void> {
  await expect
    .poll(async () => (await many.database.pool.query(question)).rowCount, { timeout: 20_000 })
    .toBeGreaterThan(0);
}

const heldLocks = async () =>
  (
    await many.database.pool.query(`select from pg_locks join pg_database on pg_database.oid = pg_locks.database
    where locktype = 'advisory' and datname = current_database()`)
  ).rowCount;

test('twelve organizations in one night: each has the data, the exit code and the part of a run of its own', async () => {
  many = await installMany({
    ...named(4),
    refused: { key: 'a-key-that-is-refused' },
    hanging: hangs,
    slow,
    unavailable: { fault: () => unavailable },
    'half-broken': { fault: ({ path }) => (path.endsWith('/tools') ? unavailable : undefined) },
    keyless: { hasNoKey: true },
    'wrong-id': { fields: { org_id: 'org_other' } },
    twin: {},
    'other-twin': { like: 'twin' },
  });
  const { code, codes, json, of, error } = await many.run(nightly, { timing });
  expect(codes).toEqual({
    'good-0': 0,
    'good-1': 0,
    'good-2': 0,
    'good-3': 0,
    refused: 3,
    hanging: 1,
    slow: 0,
    unavailable: 1,
    'half-broken': 1,
    keyless: 2,
    'wrong-id': 2,
    twin: expect.any(Number),
    'other-twin': expect.any(Number),
  });
  expect([codes.twin, codes['other-twin']].sort()).toEqual([0, 2]);
  expect(code).toBe(1);
  expect(json.status).toBe('partial');
  for (const figures of ['slices', 'rows', 'requests'] as const)
    for (const [name, sum] of Object.entries(json[figures]))
      expect(json.organizations.reduce((total, part) => total + (part[figures][name] ?? 0), 0)).toBe(sum);
  expect(of('good-0')).toMatchObject({
    org_id: idOf('good-0'),
    run_id: expect.any(Number),
    status: 'succeeded',
    slices: { planned: 5, loaded: 5 },
    sources: { readiness: 'off', computers: 'unavailable' },
  });
  expect(of('keyless')).toMatchObject({
    run_id: null,
    org_id: null,
    sources: { readiness: 'off', computers: 'failed' },
    error: expect.stringMatching(/^api_key_file: /),
  });
  expect(of('wrong-id')?.error).toMatch(/org_id: expected .*"org_other".*"org_of_wrong-id"/);
  const loser = codes.twin === 2 ? 'twin' : 'other-twin';
  expect(of(loser)?.error).toMatch(/is loaded under the name (?:other-)?twin already/);
  expect(error).toMatch(/refused: 401: .*; hanging: .*; unavailable: /);
  expect(JSON.stringify(json)).not.toContain('a-key-that-is-refused');

  const whole = ['good-0', 'good-1', 'good-2', 'good-3', 'slow', 'twin'];
  const { rows } = await many.database.pool.query<{ name: string; org_id: string }>(
    'select name, org_id from etl.organization join warehouse.dim_org using (org_key) order by name',
  );
  const winner = codes.twin === 2 ? 'other-twin' : 'twin';
  expect(Object.fromEntries(rows.map(({ name, org_id }) => [name, org_id]))).toEqual(
    Object.fromEntries([
      ...whole.map((name) => [name === 'twin' ? winner : name, idOf(name)]),
      ['half-broken', idOf('half-broken')],
    ]),
  );
  const stored = await many.stored();
  const expected = many.expected(whole, night, night);
  for (const [table, rowsOf] of Object.entries(stored))
    expect({ [table]: rowsOf.filter(({ org_id }) => org_id !== idOf('half-broken')) }).toEqual({
      [table]: expected[table],
    });
  expect(await heldLocks()).toBe(0);
});

test('four that hang cost the others nothing', async () => {
  many = await installMany({
    'hangs-0': hangs,
    'hangs-1': hangs,
    'hangs-2': hangs,
    'hangs-3': hangs,
    ...named(8),
  });
  const { codes } = await many.run(nightly, { timing });
  expect(Object.values(codes).filter((code) => code === 0)).toHaveLength(8);
  const { rows } = await many.database.pool.query<{ good: string; hung: string }>(`
    select
      max(finished_at) filter (where status = 'succeeded')::text as good,
      min(finished_at) filter (where status = 'failed')::text as hung
    from etl.run`);
  expect(rows[0]?.good && rows[0].good < rows[0].hung).toBe(true);
  expect(await many.stored()).toEqual(many.expected(Object.keys(named(8)), night, night));
});

test('all survive the loss of the connection that holds their locks, and give them back', async () => {
  many = await installMany(named(6, slow), { ORGANIZATIONS_AT_ONCE: '6' });
  const running = many.run(nightly, { timing });
  await until('select from etl.run where org_key is not null having count(*) = 6');
  const { rowCount } = await many.database.pool.query(
    `select pg_terminate_backend(pid) from (
      select distinct pid from pg_locks join pg_database on pg_database.oid = pg_locks.database
      where locktype = 'advisory' and datname = current_database()
    ) as holders`,
  );
  expect(rowCount).toBe(1);
  const { code } = await running;
  expect(code).toBe(0);
  expect(await many.stored()).toEqual(many.expected(Object.keys(named(6)), night, night));
  expect(await heldLocks()).toBe(0);
});

test('an organization is free for others as soon as its own run has ended', async () => {
  many = await installMany({ hangs, ...named(2) });
  const running = many.run(nightly, { timing });
  await until("select from etl.run where status = 'succeeded' having count(*) = 2");
  const again = await many.run(`${nightly} --endpoints tokens`, {
    timing,
    environment: await only('good-1'),
  });
  expect(again.codes).toEqual({ 'good-1': 0 });
  expect((await running).codes).toEqual({ hangs: 1, 'good-0': 0, 'good-1': 0 });
});

/** A file with one of the organizations. */
async function only(name: string): Promise<Record<string, string>> {
  const { ORGANIZATIONS_FILE = '' } = many.environment;
  const entries: { name: string }[] = JSON.parse(await readFile(ORGANIZATIONS_FILE, 'utf8'));
  const file = `${many.folder}/only.yaml`;
  await writeFile(file, JSON.stringify(entries.filter((entry) => entry.name === name)));
  return { ORGANIZATIONS_FILE: file };
}

test('a database that stays away ends all of them soon, and the next night has everything', async () => {
  many = await installMany(named(6, slow), { ORGANIZATIONS_AT_ONCE: '2' });
  const proxy = await startPostgresProxy(many.database.url, {
    fromClient: (bytes, { upstream }) => upstream.write(bytes),
    fromServer: (bytes, { client }) => client.write(bytes),
  });
  const started = many.start(`${nightly} --json`, { DATABASE_URL: proxy.url });
  await until("select from etl.slice where status = 'loaded'");
  await proxy.close();
  const { code, stdout } = await started.ended;
  expect(code).toBe(1);
  const { codes, json } = outputOf(code ?? -1, JSON.parse(stdout));
  expect(Object.values(codes)).toEqual([1, 1, 1, 1, 1, 1]);
  expect(json.error).toContain('good-5: ');
  expect((await many.run(nightly, { timing })).code).toBe(0);
  expect(await many.stored()).toEqual(many.expected(Object.keys(named(6)), night, night));
});

test('a process has no more connections than it may have, and nothing waits for ever', async () => {
  many = await installMany(named(12), { MAX_DATABASE_CONNECTIONS: '10', ORGANIZATIONS_AT_ONCE: '12' });
  let most = 0;
  let isRunning = true;
  const counting = (async () => {
    while (isRunning) {
      const { rows } = await many.database.pool.query<{ connections: number }>(
        `select count(*)::int as connections from pg_stat_activity
        where datname = current_database() and application_name = 'usage-etl'`,
      );
      most = Math.max(most, rows[0]?.connections ?? 0);
    }
  })();
  const { code } = await many.run('backfill --from 2026-02-01 --to 2026-02-20', { timing });
  isRunning = false;
  await counting;
  expect(code).toBe(0);
  expect(most).toBeGreaterThan(2);
  expect(most).toBeLessThanOrEqual(10);
  expect(await many.stored()).toEqual(many.expected(Object.keys(named(12)), '2026-02-01', '2026-02-20'));
});

test('a signal ends all of them at once, and each has its part', async () => {
  many = await installMany(
    { ...named(6, { fault: () => ({ kind: 'hang' }) }), last: {} },
    { ORGANIZATIONS_AT_ONCE: '2' },
  );
  const started = many.start(`${nightly} --json`);
  await until("select from etl.run where status = 'running' having count(*) >= 2");
  const beganAt = performance.now();
  started.process.kill('SIGTERM');
  const { code, stdout } = await started.ended;
  expect(performance.now() - beganAt).toBeLessThan(10_000);
  expect(code).toBe(1);
  const { codes, json } = outputOf(code ?? -1, JSON.parse(stdout));
  expect(Object.keys(codes)).toHaveLength(7);
  expect(json.error).toContain('SIGTERM');
  const { rows } = await many.database.pool.query("select from etl.run where status = 'running'");
  expect(rows).toHaveLength(0);
});

test('a process that is killed costs the next one nothing', async () => {
  let hang = true;
  const holds: OrganizationOptions = {
    fault: ({ path }) => (hang && path.endsWith('/users') ? { kind: 'hang' } : undefined),
  };
  many = await installMany({
    ...named(3),
    ...Object.fromEntries([3, 4].map((number) => [`good-${number}`, holds])),
  });
  const started = many.start(nightly);
  await until("select from etl.slice where status = 'loaded' having count(*) >= 15");
  started.process.kill('SIGKILL');
  await started.ended;
  hang = false;
  const { code } = await many.run(nightly, { timing });
  expect(code).toBe(0);
  expect(await many.stored()).toEqual(many.expected(Object.keys(named(5)), night, night));
  const { rows } = await many.database.pool.query("select from etl.run where status = 'running'");
  expect(rows).toHaveLength(0);
});

test('those that were not loaded for longest come first', async () => {
  many = await installMany(named(3), { ORGANIZATIONS_AT_ONCE: '1' });
  const order = async () => {
    const { rows } = await many.database.pool.query<{ name: string }>(
      `select arguments ->> 'organization' as name from etl.run order by run_id desc limit 3`,
    );
    return rows.map(({ name }) => name).reverse();
  };
  await many.run(`${nightly} --endpoints tokens`, { timing, environment: await only('good-1') });
  await many.run(`${nightly} --endpoints tokens`, { timing, environment: await only('good-0') });
  await many.run(nightly, { timing });
  expect(await order()).toEqual(['good-2', 'good-1', 'good-0']);
});

test('the key of another organization ends with 2, and nothing of it is written', async () => {
  many = await installMany(named(2));
  expect((await many.run(nightly, { timing })).code).toBe(0);
  await copyFile(`${many.folder}/good-1.key`, `${many.folder}/good-0.key`);
  const { ORGANIZATIONS_FILE = '' } = many.environment;
  const entries: Record<string, unknown>[] = JSON.parse(await readFile(ORGANIZATIONS_FILE, 'utf8'));
  const [first, second] = entries;
  await writeFile(
    ORGANIZATIONS_FILE,
    JSON.stringify([{ ...first, api_base_url: second?.api_base_url }, second]),
  );
  const { code, codes, of } = await many.run('nightly --date 2026-03-11', { timing });
  expect({ code, codes }).toEqual({ code: 1, codes: { 'good-0': 2, 'good-1': 0 } });
  expect(of('good-0')?.error).toMatch(/expected .*"org_of_good-0".*"org_of_good-1"/);
  const { rows } = await many.database.pool.query(
    `select distinct usage_date::text from etl.slice join warehouse.dim_org using (org_key) where org_id = 'org_of_good-0'`,
  );
  expect(rows).toEqual([{ usage_date: night }]);
});

test('replay is a run for each: one that is locked ends with 4, and the others are done', async () => {
  many = await installMany({ ...named(2), never: { fault: () => unavailable } });
  await many.run(nightly, { timing });
  const before = await many.stored();
  await many.database.pool.query('delete from warehouse.fact_user_daily');
  const holder = await many.database.pool.connect();
  await holder.query(
    `select pg_advisory_lock(lock_number, org_key) from etl.lock_number, etl.organization where name = 'good-0'`,
  );
  const { code, codes } = await many.run('replay', { timing });
  holder.release(true);
  expect({ code, codes }).toEqual({ code: 1, codes: { 'good-0': 4, 'good-1': 0, never: 0 } });
  expect((await many.run('replay', { timing })).code).toBe(0);
  expect(await many.stored()).toEqual(before);
});

test('verify has the findings of each organization in its part', async () => {
  many = await installMany({ ...named(2), refused: { key: 'a-key-that-is-refused' } });
  await many.run(nightly, { timing });
  await many.database.pool.query(`
    update warehouse.fact_productivity_daily set git_commits = git_commits + 1
    where org_key = (select org_key from etl.organization where name = 'good-1')`);
  const { code, codes, of } = await many.run(`verify --from ${night} --to ${night} --strict --archive`, {
    timing,
  });
  expect({ code, codes }).toEqual({ code: 1, codes: { 'good-0': 0, 'good-1': 1, refused: 3 } });
  expect(of('good-0')).toMatchObject({ contradictions: [], failures: [], checks: expect.any(Array) });
  expect(of('good-1')?.contradictions).not.toEqual([]);
  expect(of('refused')).toMatchObject({ checks: [], contradictions: [], failures: [] });
});
