import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { yesterday } from '../../src/model/day.ts';
import { withSession } from '../../src/warehouse/connection/connection.ts';
import { organizationKey } from '../../src/warehouse/ledger/organization.ts';
import { organization } from '../support/installation.ts';
import { installLimits, type LimitsInstallation } from '../support/limits.ts';

const [ada, bob] = ['ada@example.com', 'bob@example.com'];

describe('limits apply', () => {
  let installation: LimitsInstallation;

  beforeAll(async () => {
    installation = await installLimits();
  });

  afterAll(() => installation[Symbol.asyncDispose]());

  const runs = async () =>
    (await installation.database.pool.query<{ job: string }>('select job from etl.run')).rows.length;

  test('lists every problem of a file by its line, and does nothing', async () => {
    const file = await installation.fileOf([
      `${ada},1000000`,
      `${bob},5`,
      'eve,none',
      `ADA@example.com,none`,
      bob,
    ]);
    const { code, stdout, stderr } = await installation.run(`limits apply ${file} --yes`);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    const told = stderr
      .trimEnd()
      .split('\n')
      .map((line) => line.replace(`usage-etl: ${file}: `, ''));
    expect(told).toEqual([
      'line 3: limit: expected a whole number from 1000000 to 9007199254740991, or none; got "5"',
      'line 4: email: expected an e-mail address, got "eve"',
      'line 5: email: line 2 has the same e-mail',
      'line 6: expected 2 values as in the first line, got 1',
    ]);
    expect(installation.simulator.requests).toEqual([]);
    expect(await runs()).toBe(0);
  });

  test.each([
    ['/nonexistent/limits.csv', /there is no file with this name/],
    ['/dev/null', /no regular file/],
    ['/', /no regular file|cannot be read/],
  ])('cannot read %s, and says so', async (file, sentence) => {
    const { code, stderr } = await installation.run(`limits apply ${file} --yes`);
    expect(code).toBe(2);
    expect(stderr).toMatch(sentence);
  });

  test('asks for --yes where nobody can be asked', async () => {
    const file = await installation.fileOf([`${ada},1000000`]);
    const { code, stderr } = await installation.run(`limits apply ${file}`);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^usage-etl: --yes: needed here/);
    expect(await runs()).toBe(0);
  });

  test('does nothing where no e-mail may be stored', async () => {
    const file = await installation.fileOf([`${ada},1000000`]);
    const { code, stderr } = await installation.run(`limits apply ${file} --yes`, { USER_EMAIL: 'none' });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^usage-etl: USER_EMAIL: with none no e-mail is stored, but/);
    expect(installation.simulator.requests).toEqual([]);
    expect(await runs()).toBe(0);
  });

  test('--dry-run needs no credential, sends and records nothing, and shows what would change', async () => {
    const file = await installation.fileOf([`${ada},1000000`, `${bob},none`]);
    const unset = { API_BASE_URL: '', API_KEY: '' };
    const { code, stdout } = await installation.run(`limits apply ${file} --dry-run`, unset);
    expect(code).toBe(0);
    expect(stdout).toMatch(/ada@example\.com +not known → 1,000,000\n/);
    expect(stdout).toMatch(/bob@example\.com +not known → none\n/);
    expect(stdout).toContain('limits where none was known 1,000,000');
    expect(installation.simulator.requests).toEqual([]);
    expect(await runs()).toBe(0);
  });

  test('tells old and new limits, whom they could not be set for, and why; logs name nobody', async () => {
    const first = await installation.fileOf([`${ada},1000000`]);
    expect((await installation.run(`limits apply ${first} --yes`)).code).toBe(0);
    const second = await installation.fileOf([`${ada},3500000`, 'nobody@example.com,2000000']);
    const { code, stdout, stderr } = await installation.run(`limits apply ${second} --yes`);
    expect(code).toBe(1);
    expect(stdout).toMatch(/ada@example\.com +1,000,000 → 3,500,000\n/);
    expect(stdout).toContain('sum of the change +2,500,000 where the old limit is known');
    expect(stdout).toContain('  nobody@example.com: error: no user of the organization has this e-mail\n');
    expect(stderr).not.toContain('@example.com');
    const again = await installation.run(`limits apply ${second} --yes --json`);
    expect(JSON.parse(again.stdout)).toMatchObject({
      organization,
      error: '1 credit limit of 1 could not be set as asked',
      plan: { users: 1, already_set: 1 },
      changes: [{ email: 'nobody@example.com', outcome: 'error' }],
    });
  });

  test('limits history tells all attempts, or those of one person in any spelling', async () => {
    const { code, stdout } = await installation.run('limits history --json');
    expect(code).toBe(0);
    const { changes } = JSON.parse(stdout);
    expect(changes).toHaveLength(4);
    expect(changes[0]).toEqual({
      change_id: 4,
      organization,
      email: 'nobody@example.com',
      requested_limit: 2_000_000,
      outcome: 'error',
      confirmed_limit: null,
      error: 'no user of the organization has this e-mail',
      run_id: 3,
      requested_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      answered_at: expect.stringMatching(/Z$/),
    });
    const ofAda = await installation.run('limits history --email ADA@example.com');
    expect(ofAda.stdout.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^asked +e-mail +limit +outcome +run +why$/),
      expect.stringMatching(/ada@example\.com +3,500,000 +updated +2$/),
      expect.stringMatching(/ada@example\.com +1,000,000 +updated +1$/),
    ]);
  });

  test('with the organization locked by another run, nothing is sent', async () => {
    const file = await installation.fileOf([`${bob},1000000`]);
    const before = installation.asked().length;
    const { environment } = installation;
    // A backfill that holds the lock, and waits for the platform.
    await using holder = await installLimits({
      fault: ({ path }) => (path.endsWith('/users') ? { kind: 'hang' } : undefined),
    });
    const load = holder.start('backfill --endpoints users,tokens --to 2026-01-16', {
      DATABASE_URL: environment.DATABASE_URL ?? '',
    });
    await expect.poll(() => holder.simulator.requests.some(({ path }) => path.endsWith('/users'))).toBe(true);
    const { code, stderr } = await installation.run(`limits apply ${file} --yes`);
    load.process.kill('SIGKILL');
    await load.ended;
    expect(code, stderr).toBe(4);
    expect(installation.asked()).toHaveLength(before);
  });
});

test('a member, who may not read analytics, sets limits of the only organization that the warehouse knows', async () => {
  await using installation = await installLimits();
  const member = { API_KEY: 'member-key' };
  const file = await installation.fileOf([`${ada},1000000`]);
  expect((await installation.run(`limits apply ${file} --yes`, member)).code).toBe(3);
  await installation.database.pool.query("insert into warehouse.dim_org (org_id) values ('org_test')");
  expect((await installation.run(`limits apply ${file} --yes`, member)).code).toBe(0);
  expect(installation.limits.limitOf(ada)).toBe(1_000_000);
});

test('with USER_EMAIL=none the next load takes e-mails out of what was changed before', async () => {
  await using installation = await installLimits({
    limitsFault: ({ number }) => (number > 5 ? { kind: 'reset' } : undefined),
  });
  await installation.apply([`${ada},1000000`]);
  await installation.database.pool.query(
    `insert into etl.credit_limit_change (org_key, user_email, run_id) select org_key, 'x@localhost', 1 from warehouse.dim_org`,
  );
  const { code } = await installation.run('backfill --to 2026-01-14', { USER_EMAIL: 'none' });
  expect(code).toBe(0);
  const name = expect.stringMatching(/^e-mail-[\da-f]{16}$/);
  expect(await installation.audit()).toMatchObject([
    { email: name, outcome: 'updated' },
    { email: name, outcome: 'error' },
  ]);
  const { rows } = await installation.database.pool.query('select user_email from warehouse.credit_limit');
  expect(rows).toEqual([{ user_email: name }]);
});

describe('limits suggest', () => {
  let installation: LimitsInstallation;
  const to = yesterday(Date.now);

  beforeAll(async () => {
    installation = await installLimits();
    const { pool } = installation.database;
    const { rows } = await pool.query<{ org_key: number }>(
      "insert into warehouse.dim_org (org_id) values ('org_test') returning org_key",
    );
    const orgKey = rows[0]?.org_key;
    await pool.query('select warehouse.ensure_dates($1::date - 60, $1::date)', [to]);
    await pool.query(
      `insert into etl.slice (org_key, endpoint, slice_key, usage_date, status)
      select $1, 'tokens', day::date::text, day::date, 'loaded' from generate_series($2::date - 40, $2::date, '2 days') as day`,
      [orgKey, to],
    );
    /** E-mail, credits on the last day, and credits on the day before the 28. */
    const users: [string | null, string | null, string | null][] = [
      ['large@example.com', '2000000.1', '1000000000'],
      ['small@example.com', '10', null],
      ['Twice@example.com', '1000000', null],
      ['twice@EXAMPLE.com', '1000000.000001', null],
      ['"odd,one"@example.com', '3000000', null],
      [null, '5', null],
      ['no address', '5', null],
      ['=1+1@example.com', '5', null],
      ['+HYPERLINK("http://example.com")@example.com', '5', null],
      ["-2+3+cmd|'/c'!A1@example.com", '5', null],
      ['@sum@example.com', '5', null],
      ['\uff1d1@example.com', '5', null],
      [' \u200b=1@example.com', '5', null],
      ['\t1@example.com', '5', null],
      ['one;=1@example.com', '5', null],
      ['earlier@example.com', null, '7'],
      ['zero@example.com', '0', null],
      ['never@example.com', null, null],
    ];
    for (const [index, [email, last, before]] of users.entries()) {
      const {
        rows: [user],
      } = await pool.query<{ user_key: number }>(
        'insert into warehouse.dim_user (org_key, user_id, user_email) values ($1, $2, $3) returning user_key',
        [orgKey, `user_${index}`, email],
      );
      for (const [credits, daysBefore] of [
        [last, 0],
        [before, 28],
      ] as const)
        if (credits !== null)
          await pool.query(
            `insert into warehouse.fact_token_user_daily (org_key, usage_date, user_key, billable_tokens)
            values ($1, $2::date - $3::integer, $4, $5)`,
            [orgKey, to, daysBefore, user?.user_key, credits],
          );
    }
  });

  afterAll(() => installation[Symbol.asyncDispose]());

  test('waits for no pipe that nobody reads, and writes to nothing but files and pipes', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'usage-etl-out-'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    for (const [out, sentence] of [
      [join(folder, 'pipe'), /^usage-etl: --out: \S+ cannot be written \(ENXIO\)/m],
      [folder, /^usage-etl: --out: \S+ cannot be written \(EISDIR\)/m],
      ['/dev/null', /^usage-etl: --out: \/dev\/null is neither a file nor a pipe; name a file$/m],
    ] as const) {
      const { code, stderr } = await installation.run(`limits suggest --out ${out}`);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(sentence) });
    }
    await rm(folder, { recursive: true });
  });

  test('writes a file from the credits of the last 28 days, and says what it assumed', async () => {
    const { code, stdout, stderr } = await installation.run('limits suggest');
    expect(code).toBe(0);
    expect(stdout).toBe(
      [
        'email,limit',
        '"""odd,one""@example.com",4500000',
        'Twice@example.com,3000001',
        'large@example.com,3000001',
        'small@example.com,1000000',
        '',
      ].join('\n'),
    );
    for (const sentence of [
      /4 limits from the credits of \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d, times 1\.5, rounded up; 1 of them the smallest/,
      /14 of 28 days are held; nothing is made up/,
      /3 users without usage in these days, and 2 with usage but without an e-mail, are left out/,
      /8 users with usage, but with an e-mail that a spreadsheet would take for a formula, are left out/,
      /1 e-mail of several users each/,
    ])
      expect(stderr).toMatch(sentence);
  });

  test('takes days and headroom, and writes to a file that limits apply takes as it is', async () => {
    const out = await installation.fileOf([]);
    const { code, stdout } = await installation.run(
      `limits suggest --days 29 --headroom 2 --out ${out} --json`,
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      to,
      days_asked: 29,
      days_held: 15,
      headroom: 2,
      users_without_usage: 2,
      users_without_email: 2,
      users_with_formula_email: 8,
      shared_emails: 1,
      out,
      limits: expect.arrayContaining([
        { email: 'large@example.com', limit: 2_004_000_001, credits: '1002000000.1' },
        { email: 'earlier@example.com', limit: 1_000_000, credits: '7' },
      ]),
    });
    const dry = await installation.run(`limits apply ${out} --dry-run --json`);
    expect(dry.code, dry.stderr).toBe(0);
    expect(JSON.parse(dry.stdout).plan).toMatchObject({ users: 5, already_set: 0 });
    await writeFile(out, `\ufeff${(await readFile(out, 'utf8')).replaceAll('\n', '\r\n')}`);
    expect((await installation.run(`limits apply ${out} --dry-run`)).code).toBe(0);
  });

  test.each(['--days 0', '--days 1.5', '--headroom 0', '--headroom much', '--out /nonexistent/x.csv'])(
    'refuses %s',
    async (option) => {
      const { code, stderr } = await installation.run(`limits suggest ${option}`);
      expect(code).toBe(2);
      expect(stderr).toContain(option.split(' ')[0]);
    },
  );

  test('and a dry run, where several organizations could be meant, say so', async () => {
    await withSession(installation.database.pool, ({ db }) => organizationKey(db, 'org_other'));
    const file = await installation.fileOf([`${ada},none`]);
    for (const commandLine of ['limits suggest', `limits apply ${file} --dry-run`]) {
      const { code, stderr } = await installation.run(commandLine);
      expect(code).toBe(2);
      expect(stderr).toContain('expected a warehouse of one organization, got one of 2');
    }
  });
});
