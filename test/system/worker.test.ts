import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hurriedProgramFile, programFile, startProgram } from '../support/program.ts';
import {
  type InstalledOrganization,
  installOrganizations,
  type Organizations,
} from '../support/queue-installation.ts';

const twoMonths = '--from 2026-01-14 --to 2026-02-03';
const fewDays = '--from 2026-01-14 --to 2026-01-16';
const night = '--date 2026-01-20';

/** Slices of days by organization, and runs by status. */
async function loaded({ database }: Organizations) {
  const { rows } = await database.pool.query<{ org_id: string; slices: number }>(
    `select org.org_id, count(*)::integer as slices
    from etl.slice join warehouse.dim_org as org using (org_key)
    where endpoint not in ('computers', 'readiness') and status in ('loaded', 'empty')
    group by 1 order by 1`,
  );
  return Object.fromEntries(rows.map(({ org_id, slices }) => [org_id, slices]));
}

async function runs({ database }: Organizations) {
  const { rows } = await database.pool.query<{ run: string }>(
    `select run.job || ' ' || coalesce(run.arguments ->> 'from', run.arguments ->> 'date') as run
    from etl.run order by run_id`,
  );
  return rows.map(({ run }) => run);
}

/** Puts a job into the queue by hand. */
async function putIn({ database }: Organizations, task: string, payload: string): Promise<void> {
  await database.pool.query('select etl_queue.add_job($1, payload := $2::json)', [task, payload]);
}

/** Lets requests for one endpoint hang from now on; resolves when the first one has come. Its run holds the organization. */
function hang(organization: InstalledOrganization): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  organization.fault = ({ path }) => {
    if (!path.endsWith('/tools')) return undefined;
    resolve();
    return { kind: 'hang' };
  };
  return promise;
}

test('a worker does what was ordered once, and ends with 0 after SIGTERM', async () => {
  await using organizations = await installOrganizations(2);
  const { database } = organizations;
  expect(await organizations.order(`backfill ${twoMonths}`)).toEqual({ enqueued: 4, already_queued: 0 });
  expect(await organizations.order(`backfill ${twoMonths}`)).toEqual({ enqueued: 0, already_queued: 4 });
  expect((await organizations.jobs()).map(({ key }) => key)).toEqual([
    'backfill acme-0 2026-01 all',
    'backfill acme-0 2026-02 all',
    'backfill acme-1 2026-01 all',
    'backfill acme-1 2026-02 all',
  ]);
  const worker = await organizations.work();
  await expect.poll(() => organizations.jobs()).toEqual([]);
  worker.process.kill('SIGTERM');
  const { code, stderr } = await worker.ended;
  expect(code, stderr).toBe(0);
  expect(await loaded(organizations)).toEqual({ org_0: 105, org_1: 105 });
  const { rows: asked } = await database.pool.query('select distinct first_day::text from etl.asked_range');
  expect(asked).toEqual([{ first_day: '2026-01-14' }]);
});

test('nights go before backfills, newer months before older, and only the newest month reads what has no history', async () => {
  await using organizations = await installOrganizations(1);
  await organizations.order(`backfill --from 2026-01-14 --to 2026-03-02`);
  await organizations.order(`nightly ${night}`);
  await organizations.work();
  await expect.poll(() => organizations.jobs()).toEqual([]);
  expect(await runs(organizations)).toEqual([
    'nightly 2026-01-20',
    'backfill 2026-03-01',
    'backfill 2026-02-01',
    'backfill 2026-01-14',
  ]);
  const { rows } = await organizations.database.pool.query(
    `select arguments ->> 'from' as first, arguments -> 'endpoints' ? 'computers' as reads
    from etl.run where job = 'backfill' order by run_id`,
  );
  expect(rows).toEqual([
    { first: '2026-03-01', reads: true },
    { first: '2026-02-01', reads: false },
    { first: '2026-01-14', reads: false },
  ]);
});

test('any payload put in by hand ends its job with a reason that tells none of it', async () => {
  await using organizations = await installOrganizations(1);
  const secret = 'user_4711@example.com';
  const payloads = [
    'null',
    '17',
    '[]',
    '[{"organization": "acme-0"}]',
    '"text"',
    '{}',
    `{"organization": ${JSON.stringify(secret)}, "day": "2026-01-20"}`,
    `{"organization": "acme-0", "day": ${JSON.stringify(secret)}, "from": "2026-01-14", "to": "2026-01-13"}`,
    '{"organization": "acme-0", "day": "9999-12-31", "from": "0001-01-01", "to": "9999-12-31"}',
    '{"organization": "acme-0", "day": "2025-01-01", "from": "2026-01-15", "to": "2026-01-14"}',
    `{"organization": "acme-0", "day": {"toString": 1}, "from": "2026-01-14", "to": "2026-01-14", "endpoints": ["${secret}"]}`,
    '{"organization": "acme-0", "day": "\\u0000", "__proto__": {"day": "2026-01-14"}}',
  ];
  for (const task of ['nightly', 'backfill'])
    for (const payload of payloads) await putIn(organizations, task, payload);
  await putIn(organizations, 'rm -rf', '{}');
  const worker = await organizations.work();
  await organizations.order(`nightly ${night}`);
  await expect
    .poll(async () => (await organizations.jobs()).filter(({ last_error }) => last_error === null))
    .toMatchObject(
      // Nobody takes a task of another name.
      [{ attempts: 0 }],
    );
  const reasons = new Set((await organizations.jobs()).flatMap(({ last_error }) => last_error ?? []));
  expect([...reasons].join('\n')).not.toContain(secret);
  for (const reason of reasons)
    expect(reason).toMatch(
      /^(the payload (is none of this program|names days)|the job names an unknown endpoint)/,
    );
  worker.process.kill('SIGTERM');
  const { code, stderr } = await worker.ended;
  expect(code, stderr).toBe(0);
  expect(stderr).not.toContain(secret);
  expect(await runs(organizations)).toEqual(['nightly 2026-01-20']);
});

test('refused credentials and a missing key end the job with the reason; ordered again, it is due at once', async () => {
  await using organizations = await installOrganizations(2);
  const [refused, keyless] = organizations.all;
  if (refused === undefined || keyless === undefined) throw new Error('expected two organizations');
  refused.fault = () => ({ kind: 'status', status: 401 });
  const file = await organizations.writeFile('keyless.yaml', [refused, keyless]);
  await writeFile(
    file,
    `- name: acme-0\n  api_base_url: ${refused.simulator.url}\n  api_key_env: KEY_OF_ALL\n` +
      `- name: acme-1\n  api_base_url: ${keyless.simulator.url}\n  api_key_file: missing.key\n`,
  );
  await organizations.order(`backfill ${fewDays}`, { ORGANIZATIONS_FILE: file });
  await organizations.work({ ORGANIZATIONS_FILE: file });
  const ended = () => organizations.jobs();
  await expect
    .poll(async () => (await ended()).filter(({ last_error }) => last_error !== null))
    .toHaveLength(2);
  expect((await ended()).map(({ attempts, last_error }) => ({ attempts, last_error }))).toEqual([
    { attempts: 30_000, last_error: expect.stringMatching(/401/) },
    { attempts: 30_000, last_error: expect.stringMatching(/api_key_file/) },
  ]);
  refused.fault = () => undefined;
  await writeFile(join(organizations.folder, 'missing.key'), 'owner-key-4711\n', { mode: 0o600 });
  expect(await organizations.order(`backfill ${fewDays}`, { ORGANIZATIONS_FILE: file })).toEqual({
    enqueued: 2,
    already_queued: 0,
  });
  await expect.poll(ended).toEqual([]);
  expect(await loaded(organizations)).toEqual({ org_0: 15, org_1: 15 });
});

test('a backfill that failed is due after a minute, with the reason, and a failed night ends', async () => {
  await using organizations = await installOrganizations(1);
  const [acme] = organizations.all;
  if (acme === undefined) throw new Error('expected an organization');
  acme.fault = ({ path }) => (path.endsWith('/tools') ? { kind: 'status', status: 500 } : undefined);
  await organizations.order(`backfill ${fewDays}`);
  await organizations.order(`nightly ${night}`);
  const worker = await organizations.work();
  await expect
    .poll(async () => (await organizations.jobs()).filter(({ last_error }) => last_error !== null))
    .toHaveLength(2);
  const [backfill, nightly] = await organizations.jobs();
  expect(backfill).toMatchObject({
    attempts: 1,
    last_error: expect.stringMatching(/slices failed; the first: tools/),
  });
  expect(backfill?.in_seconds).toBeGreaterThan(40);
  expect(backfill?.in_seconds).toBeLessThanOrEqual(60);
  expect(nightly).toMatchObject({ attempts: 30_000, last_error: expect.stringMatching(/slices failed/) });
  worker.process.kill('SIGTERM');
  expect(await worker.ended).toMatchObject({ code: 0 });
});

test('after SIGTERM the job in hand is due at once for the next worker, and the attempt does not count', async () => {
  await using organizations = await installOrganizations(1);
  const [acme] = organizations.all;
  if (acme === undefined) throw new Error('expected an organization');
  const hangs = hang(acme);
  await organizations.order(`backfill ${fewDays}`);
  const worker = await organizations.work();
  await hangs;
  worker.process.kill('SIGTERM');
  const { code, stderr } = await worker.ended;
  expect(code, stderr).toBe(0);
  const [job] = await organizations.jobs();
  expect(job).toMatchObject({ attempts: 0, last_error: null, is_running: false });
  expect(job?.in_seconds).toBeLessThanOrEqual(0);
  acme.fault = () => undefined;
  await organizations.work();
  await expect.poll(() => organizations.jobs()).toEqual([]);
  const { rows } = await organizations.database.pool.query('select status from etl.run order by run_id');
  expect(rows).toEqual([{ status: 'partial' }, { status: 'succeeded' }]);
});

test('a job of an organization on which somebody works by hand is due after 30 s, and not counted', async () => {
  await using organizations = await installOrganizations(1);
  const [acme] = organizations.all;
  if (acme === undefined) throw new Error('expected an organization');
  const hangs = hang(acme);
  const { ORGANIZATIONS_FILE: _, ...environment } = organizations.environment;
  const byHand = startProgram(programFile, ['backfill', '--to', '2026-01-14'], {
    ...environment,
    API_BASE_URL: acme.simulator.url,
    API_KEY: 'owner-key-4711',
  });
  await hangs;
  await organizations.order(`backfill ${fewDays}`);
  await organizations.work();
  const waits = async () => (await organizations.jobs())[0];
  await expect.poll(async () => (await waits())?.in_seconds).toBeGreaterThan(20);
  expect(await waits()).toMatchObject({ attempts: 0, last_error: null, is_running: false });
  expect((await waits())?.in_seconds).toBeLessThanOrEqual(30);
  byHand.process.kill('SIGKILL');
  await byHand.ended;
});

test('a name that is not in the file of a worker is left to others', async () => {
  await using organizations = await installOrganizations(2);
  const [first, second] = organizations.all;
  if (first === undefined || second === undefined) throw new Error('expected two organizations');
  await organizations.order(`backfill ${fewDays}`);
  await organizations.work({ ORGANIZATIONS_FILE: await organizations.writeFile('first.yaml', [first]) });
  await expect
    .poll(() => organizations.jobs())
    .toMatchObject([{ key: 'backfill acme-1 2026-01 all', last_error: null, is_running: false }]);
  expect(await loaded(organizations)).toEqual({ org_0: 15 });
  await organizations.work({ ORGANIZATIONS_FILE: await organizations.writeFile('second.yaml', [second]) });
  await expect.poll(() => organizations.jobs()).toEqual([]);
  expect(await loaded(organizations)).toEqual({ org_0: 15, org_1: 15 });
});

test.each(['worker', 'enqueue nightly', 'enqueue backfill'])(
  '%s ends with 2 without the file, and without a queue',
  async (command) => {
    await using organizations = await installOrganizations(1);
    const { environment, database } = organizations;
    const { ORGANIZATIONS_FILE: _, ...without } = environment;
    const alone = await startProgram(programFile, command.split(' '), {
      ...without,
      API_BASE_URL: 'http://127.0.0.1:9',
      API_KEY: 'key',
    }).ended;
    expect(alone).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/ORGANIZATIONS_FILE: missing; (worker|enqueue) /),
    });
    await database.pool.query('drop schema etl_queue cascade');
    expect(await organizations.run(command)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/lacks the queue \(schema etl_queue\); run `.*migrate` first/),
    });
  },
);

test('a worker runs no configuration file of its working directory, and sets no exit code of the library', async () => {
  await using organizations = await installOrganizations(1);
  const { folder, environment, database } = organizations;
  const trace = join(folder, 'was-run');
  await writeFile(
    join(folder, 'graphile-worker.config.cjs'),
    `require('node:fs').writeFileSync(${JSON.stringify(trace)}, ''); module.exports = { schema: 'planted' };`,
  );
  const worker = startProgram(hurriedProgramFile, ['worker'], environment, folder);
  await worker.says('taking jobs from the queue');
  await database.pool.query('insert into etl_queue.migrations (id, breaking) values (999, true)');
  await database.pool.query(
    `select pg_notify('worker:migrate', '{"migrationNumber": 999, "breaking": true}')`,
  );
  const { code, stderr } = await worker.ended;
  expect(stderr).toMatch(/has migration 999 of its library/);
  expect(code).toBe(1);
  await expect(access(trace)).rejects.toMatchObject({ code: 'ENOENT' });
});

test('verify waits for a run of the same organization, and gives up after LOCK_TIMEOUT_MS', async () => {
  await using organizations = await installOrganizations(1);
  const [acme] = organizations.all;
  if (acme === undefined) throw new Error('expected an organization');
  await organizations.order(`backfill ${fewDays}`);
  await organizations.work();
  await expect.poll(() => organizations.jobs()).toEqual([]);
  const hangs = hang(acme);
  await organizations.order(`backfill --force ${fewDays}`);
  await hangs;
  const verify = 'verify --from 2026-01-14 --to 2026-01-16';
  expect(await organizations.run(verify, { LOCK_TIMEOUT_MS: '300' })).toMatchObject({ code: 4 });
});

test('doctor and migrate --status tell of the queue', async () => {
  await using organizations = await installOrganizations(1);
  const queueCheck = async () => {
    const { stdout } = await organizations.run('doctor --json');
    return JSON.parse(stdout).checks.find(({ name }: { name: string }) => name === 'queue');
  };
  expect(await queueCheck()).toMatchObject({ status: 'ok' });
  await organizations.database.pool.query('insert into etl_queue.migrations (id) values (21)');
  expect(await queueCheck()).toMatchObject({ status: 'warning', next: 'update the program' });
  expect(await organizations.run('migrate --status')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^unknown {2}queue of worker and enqueue \(migration 21 of 20 of its library\)$/m,
    ),
  });
});
