/** Credits by team are summed in advance; whatever happens to days, people and prices, nobody ever sees an old sum. */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { readReconciliations } from '../../src/warehouse/checks/sql-checks.ts';
import { ownNamesOnly } from '../../tools/search-path.ts';
import { programConnections } from '../support/busy-tables.ts';
import { fieldsOf, itemsOf } from '../support/exact-json.ts';
import { installForImports } from '../support/imports.ts';
import { changeRows } from '../support/quirky-payloads.ts';
import { shownRows } from '../support/shown-rows.ts';

const teamViews = ['bi.credits_by_team', 'bi.cost_by_month', 'bi.team_overview'];
const [from, to] = ['2026-01-20', '2026-02-25'];
const dayCount = 37;
const backfill = (first: string, last: string) =>
  `backfill --from ${first} --to ${last} --endpoints tokens,users`;

let imports: Awaited<ReturnType<typeof installForImports>>;
let pool: pg.Pool;
let users: readonly string[];

beforeAll(async () => {
  imports = await installForImports({ users: 300 });
  pool = imports.installation.database.pool;
  // Asked a hundred times, views are compiled a hundred times where Postgres can do that, and takes minutes for it.
  await imports.rows('set jit = off');
  const [name] = await imports.rows('select current_database()');
  await imports.rows(`alter database ${name} set jit = off`);
  await load(from, to);
  users = (await imports.rows('select user_id from warehouse.dim_user order by user_id')).slice(0, 6);
}, 120_000);

afterAll(() => imports[Symbol.asyncDispose]());

async function load(first: string, last: string): Promise<void> {
  const { code, stderr } = await imports.installation.run(`${backfill(first, last)} --force`);
  expect(code, stderr).toBe(0);
}

async function importPeople(lines: readonly string[]): Promise<void> {
  const { code, stderr } = await imports.importLines('people', [
    'user_id,user_email,team,department,cost_center,valid_from,valid_to',
    ...lines,
  ]);
  expect(code, stderr).toBe(0);
}

/** What the views by team show to whoever looks now. */
async function shown(client: Pick<pg.Pool, 'query'> = pool): Promise<string[][]> {
  const rows: string[][] = [];
  for (const view of teamViews) rows.push(await shownRows(client, view));
  return rows;
}

/** What they show without any sum; that this is right, other tests say. */
async function fromFacts(): Promise<string[][]> {
  const client = await pool.connect();
  try {
    await client.query(`begin; update etl.slice set loaded_at = loaded_at + interval '1 second'`);
    return await shown(client);
  } finally {
    await client.query('rollback');
    client.release();
  }
}

/** What `verify` says of sums. */
async function wrongSums(): Promise<unknown[]> {
  const check = (await readReconciliations()).find(({ name }) => name === 'sums_by_team');
  const { rows } = await pool.query(
    `select usage_date::text, actual::integer from (${check?.comparisons.text.replace(/;\s*$/, '')}) as compared
    where verdict <> 'ok' order by 1`,
    [1, from, '2026-02-28'],
  );
  return rows;
}

/** Days that were summed as they are now, and since which transaction. Some have too few facts to keep sums. */
async function summedDays(): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ day: string; since: string }>(
    `select d.usage_date::text as day, d.xmin::text as since
    from etl.summed_day as d join etl.summable_day as s using (org_key, usage_date) where s.is_done order by 1`,
  );
  return new Map(rows.map(({ day, since }) => [day, since]));
}

async function expectTruth(): Promise<void> {
  const rows = await shown();
  expect(rows.flat().length).toBeGreaterThan(dayCount);
  expect(rows).toEqual(await fromFacts());
  expect(await wrongSums()).toEqual([]);
}

/** Runs `change` and expects that the views by team show something else afterwards, and the truth. */
async function expectChange(change: () => Promise<unknown>): Promise<void> {
  const before = await shown();
  await change();
  expect(await shown()).not.toEqual(before);
  await expectTruth();
}

describe('sums of credits by team', () => {
  test('are not made while nobody has a team', async () => {
    expect(await summedDays()).toEqual(new Map());
    await expectTruth();
  });

  test('are there after an import of people, with moves within a month and gaps', async () => {
    const [one, two, three] = users;
    await expectChange(() =>
      importPeople([
        `${one},,Blue,,,2026-01-01,2026-01-31`,
        `${one},,Red,Sales,C1,2026-02-10,`,
        `${two},,Red,Sales,C1,2026-01-22,2026-02-09`,
        `${two},,Red,Research,C2,2026-02-10,`,
        `${three},,Blue,,,2026-02-05,`,
      ]),
    );
    expect([...(await summedDays()).keys()]).toHaveLength(dayCount);
  });

  test('are kept for the days that have ten times as many facts, and read there', async () => {
    const { rows } = await pool.query<{ facts: number; sums: number; is_summed: boolean }>(
      `select s.is_summed, count(f.*)::integer as facts,
        (select count(*) from etl.summed_credits as c where c.usage_date = s.usage_date)::integer as sums
      from etl.summable_day as s
      join warehouse.fact_token_user_model_daily as f using (org_key, usage_date)
      group by s.usage_date, s.is_summed`,
    );
    expect(
      rows.filter(({ is_summed, facts, sums }) => is_summed && (sums === 0 || facts < 10 * sums)),
    ).toEqual([]);
    expect(rows.filter(({ is_summed, sums }) => !is_summed && sums > 0)).toEqual([]);
    expect(rows.filter(({ is_summed }) => is_summed).length).toBeGreaterThan(dayCount / 2);
  });

  test('of other days stay when a day is restated', async () => {
    const before = await summedDays();
    const restated = '2026-02-12';
    changeRows(imports.installation.dataset, 'tokens', restated, (row) => ({
      ...row,
      by_user: itemsOf(row.by_user).slice(1),
    }));
    await expectChange(() => load(restated, restated));
    const after = await summedDays();
    expect([...after].filter(([day, since]) => before.get(day) !== since)).toEqual([
      [restated, expect.any(String)],
    ]);
    expect(after.size).toBe(dayCount);
  });

  test('stay when users come whom the platform had not named before, in a team or not', async () => {
    await importPeople(['user_new,,Green,,,2026-01-01,']);
    const before = await summedDays();
    expect(before.size).toBe(dayCount);
    const added = '2026-02-26';
    changeRows(imports.installation.dataset, 'tokens', added, (row) => ({
      ...row,
      by_user: itemsOf(row.by_user).map((user, index) =>
        index === 0 ? { ...fieldsOf(user), user_id: 'user_new' } : user,
      ),
    }));
    await expectChange(() => load(added, added));
    const after = await summedDays();
    expect([...after].filter(([day]) => day !== added)).toEqual([...before]);
    expect([...after.keys()]).toContain(added);
  });

  test('are there again after a replay', async () => {
    const { rows } = await pool.query('delete from warehouse.fact_token_user_model_daily returning 1');
    expect(rows.length).toBeGreaterThan(0);
    const { code, stderr } = await imports.installation.run(`replay --from ${from} --to 2026-02-26`);
    expect(code, stderr).toBe(0);
    await expectTruth();
    expect((await summedDays()).size).toBe(dayCount + 1);
  });

  test('are there again, and right, after a person was forgotten', async () => {
    await expectChange(async () => {
      await pool.query(
        `update warehouse.person_assignment set team = 'Team of ${users[0]}' where team = 'Blue'`,
      );
      const { code, stderr } = await imports.installation.run(`forget-user ${users[0]}`);
      expect(code, stderr).toBe(0);
    });
    expect(JSON.stringify((await pool.query('select * from etl.summed_credits')).rows)).not.toContain(
      users[0],
    );
    expect((await summedDays()).size).toBe(dayCount + 1);
  });
});

describe('a sum is not looked at any more', () => {
  const changes: Readonly<Record<string, string>> = {
    'as soon as somebody is in another team': `update warehouse.person_assignment set team = 'Purple'
      where user_id = (select max(user_id) from warehouse.person_assignment where team = 'Red')`,
    'as soon as a period ends on another day': `update warehouse.person_assignment set valid_to = '2026-02-20'
      where valid_to is null and team = 'Red'`,
    'as soon as a team is assigned by e-mail': `insert into warehouse.person_assignment (org_key, user_email, team, valid_from)
      select org_key, upper(user_email), 'Mailed', '2026-01-01' from warehouse.dim_user
      where user_email is not null and user_id not in (select user_id from warehouse.person_assignment where user_id is not null)
      order by user_key limit 1`,
    'as soon as nobody has the e-mail any more that a team is assigned by': `update warehouse.dim_user set user_email = null
      where upper(user_email) in (select user_email from warehouse.person_assignment where team = 'Mailed')`,
    'as soon as nobody has a team any more': 'delete from warehouse.person_assignment',
  };

  test.each(Object.entries(changes))('%s', async (_, change) => {
    const client = await pool.connect();
    try {
      const before = await shown();
      expect((await summedDays()).size).toBeGreaterThan(0);
      await client.query('begin');
      await client.query(change);
      // Whoever changes it sees it, too.
      const within = await shown(client);
      expect(within).not.toEqual(before);
      expect(await shown()).toEqual(before);
      await client.query('commit');
      expect(await shown()).toEqual(within);
      await expectTruth();
    } finally {
      await client.query('rollback');
      client.release();
    }
    await load('2026-02-26', '2026-02-26');
    await expectTruth();
  });

  test('nor is left over, where nobody has a team', async () => {
    const { rows } = await pool.query(
      'select (select count(*) from etl.summed_credits) + (select count(*) from etl.summed_day) + (select count(*) from etl.summed_people) as rows',
    );
    expect(rows).toEqual([{ rows: '0' }]);
  });

  test('but prices are never part of a sum', async () => {
    await importPeople([`${users[1]},,Red,,,2026-01-01,`]);
    const model = (await imports.rows('select model_id from warehouse.dim_model order by 1'))[0];
    const before = await summedDays();
    await expectChange(() =>
      imports.importLines('prices', [
        'model_id,model_tier,price_per_million_credits,currency,valid_from',
        `${model},*,3,EUR,2026-01-01`,
        `${model},*,5,EUR,2026-02-10`,
      ]),
    );
    expect(await summedDays()).toEqual(before);
  });
});

test('whichever two persons change places, the digest of people is another', async () => {
  const client = await pool.connect();
  try {
    await client.query(`begin; delete from warehouse.person_assignment`);
    await client.query(
      `insert into warehouse.person_assignment (org_key, user_id, team, valid_from)
      select 1, user_id, 'Team ' || row_number() over (order by user_id), '2026-01-01' from warehouse.dim_user order by user_id limit 8`,
    );
    const digest = async () => (await client.query('select people from etl.people_digest')).rows[0]?.people;
    const exchange = (...teams: string[]) =>
      client.query(
        'update warehouse.person_assignment set team = case team when $1 then $2 else $1 end where team in ($1, $2)',
        teams,
      );
    const digests = new Set([await digest()]);
    for (let one = 1; one <= 8; one += 1)
      for (let other = one + 1; other <= 8; other += 1) {
        await exchange(`Team ${one}`, `Team ${other}`);
        digests.add(await digest());
        await exchange(`Team ${one}`, `Team ${other}`);
      }
    expect(digests.size).toBe(1 + (8 * 7) / 2);
  } finally {
    await client.query('rollback');
    client.release();
  }
});

describe('a run that cannot write sums', () => {
  test('has loaded all its days, side by side and visible, when it comes to them; killed there, it leaves the truth', async () => {
    const holder = new pg.Client({ ...ownNamesOnly, connectionString: imports.installation.database.url });
    await holder.connect();
    const restated = ['2026-02-03', '2026-02-04', '2026-02-05'];
    for (const day of restated)
      changeRows(imports.installation.dataset, 'tokens', day, (row) => ({
        ...row,
        by_user: itemsOf(row.by_user).slice(2),
      }));
    const before = await shown();
    try {
      await holder.query(
        'begin; lock table etl.summed_people, etl.summed_day, etl.summed_credits in exclusive mode',
      );
      const run = imports.installation.start(`${backfill('2026-02-03', '2026-02-05')} --force`);
      await vi.waitFor(async () => expect((await programConnections(pool)).waiting).toBe(1), 30_000);
      expect(await shown()).not.toEqual(before);
      await expectTruth();
      const summed = await summedDays();
      expect(restated.filter((day) => summed.has(day))).toEqual([]);
      run.process.kill('SIGKILL');
      await run.ended;
    } finally {
      await holder.end();
    }
    await expectTruth();
    await load('2026-02-26', '2026-02-26');
    await expectTruth();
    const summed = await summedDays();
    expect(restated.filter((day) => !summed.has(day))).toEqual([]);
  });
});

test('verify finds a sum that somebody changed by hand, or whose facts somebody changed', async () => {
  const { rows } = await pool.query(
    `update etl.summed_credits set credits = credits + 1
    where ctid = (select min(ctid) from etl.summed_credits where usage_date = '2026-02-10') returning 1`,
  );
  expect(rows).toHaveLength(1);
  await pool.query(
    `delete from warehouse.fact_token_user_model_daily where usage_date = '2026-02-11' and billable_tokens > 0`,
  );
  expect(await wrongSums()).toEqual([
    { usage_date: '2026-02-10', actual: 1 },
    { usage_date: '2026-02-11', actual: expect.any(Number) },
  ]);
  const { stdout } = await imports.installation.run(`verify --from ${from} --to ${to} --json`);
  expect(stdout).toContain('sums_by_team');
  expect(stdout).toContain('sums by team and model in etl.summed_credits that are not those of the facts');
});
