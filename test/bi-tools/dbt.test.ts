/** The dbt project, in dbt and MetricFlow, as a login that may read the views and nothing else. `.ci/bi-tools` installs them. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { copyProject, type DbtProject } from './dbt-project.ts';
import { type Demo, startDemo } from './demo.ts';

const { DBT_BIN = '' } = process.env;

describe.skipIf(DBT_BIN === '')('dbt (DBT_BIN)', () => {
  let demo: Demo;
  let project: DbtProject;

  beforeAll(async () => {
    demo = await startDemo();
    project = await copyProject(DBT_BIN, await demo.login('usage_analyst'));
    // MetricFlow reads what dbt last made of the project.
    const { code, output } = await project.dbt('parse');
    if (code !== 0) throw new Error(`expected dbt to parse the project, it said:\n${output}`);
  });

  afterAll(async () => {
    await project?.remove();
    await demo?.stop();
  });

  const relations = async () =>
    (await demo.client.query('select oid, relname from pg_class where relnamespace > 16383 order by oid'))
      .rows;

  test('build finds every view as its contract says, with the right to select alone, and makes nothing', async () => {
    const before = await relations();
    const { code, output } = await project.dbt('build');
    expect(output).toContain('WARN=0 ERROR=0');
    expect(code).toBe(0);
    expect(await relations()).toEqual(before);
  });

  test('users of single days are not added up: a period has those of its last day, or of its busiest', async () => {
    const [answer] = await project.query(
      [
        '--metrics',
        'daily_active_users,daily_active_users_busiest_day,monthly_active_users,active_users,stickiness',
        '--start-time',
        '2026-06-01',
        '--end-time',
        '2026-06-27',
      ],
      {},
    );
    const { rows } = await demo.client.query(
      `select daily_active_users, monthly_active_users, stickiness,
        (select max(daily_active_users) from bi.daily_overview where usage_date between '2026-06-01' and '2026-06-27') as daily_active_users_busiest_day,
        (select count(distinct user_id) from bi.user_activity where is_active and usage_date between '2026-06-01' and '2026-06-27') as active_users
      from bi.daily_overview where usage_date = '2026-06-27'`,
    );
    const numbers = (row: object = {}) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Number(value)]));
    expect(numbers(answer)).toEqual(numbers(rows[0]));
  });

  test('running sums show where a month ended', async () => {
    const answer = await project.query(
      [
        '--metrics',
        'credits_month_to_date,credits',
        '--group-by',
        'metric_time__month',
        '--start-time',
        '2026-04-01',
        '--end-time',
        '2026-06-30',
      ],
      {},
    );
    expect(answer).toHaveLength(3);
    for (const row of answer) expect(Number(row.credits_month_to_date)).toBeCloseTo(Number(row.credits), 2);
  });

  test('MetricFlow finds no wrong column in what metrics name, and finds one that is', async () => {
    const good = await project.mf('validate-configs');
    expect(good.output).not.toMatch(/ERRORS: [1-9]/);
    expect(good.code).toBe(0);
    const file = join(project.directory, 'models', 'bi', 'skill_usage.yml');
    const text = await readFile(file, 'utf8');
    expect(text).toContain('expr: invocations');
    await writeFile(file, text.replace('expr: invocations', 'expr: no_such_column'));
    try {
      expect((await project.dbt('parse')).code).toBe(0);
      const wrong = await project.mf('validate-configs');
      expect(wrong.output).toMatch(/ERRORS: [1-9]/);
      expect(wrong.output).toContain('no_such_column');
    } finally {
      await writeFile(file, text);
      await project.dbt('parse');
    }
  });

  test('source freshness tells data that is behind, and is content when yesterday is held', async () => {
    const behind = await project.dbt('source', 'freshness');
    expect(behind.output).toContain('ERROR STALE freshness of bi.data_freshness');
    expect(behind.code).toBe(1);
    await demo.client.query('begin');
    await demo.client.query(
      "update etl.slice set usage_date = (now() at time zone 'utc')::date - 1 where usage_date = '2026-06-30'",
    );
    await demo.client.query('commit');
    try {
      const held = await project.dbt('source', 'freshness');
      expect(held.output).toContain('PASS freshness of bi.data_freshness');
      expect(held.code).toBe(0);
    } finally {
      await demo.client.query(
        "update etl.slice set usage_date = '2026-06-30' where usage_date > '2026-06-30'",
      );
    }
  });

  test('docs are one page that has the comments of the views and calls nobody', async () => {
    expect((await project.dbt('docs', 'generate', '--static')).code).toBe(0);
    const page = await readFile(join(project.directory, 'target', 'static_index.html'), 'utf8');
    expect(page).toContain('Users are distinct users with an active day (/users)');
    expect(page).toMatch(/"send_anonymous_usage_stats": ?false/);
  });

  test('the star and the views with persons are there for those who may read them', async () => {
    const mine = await project.dbt('ls', '--quiet', '--resource-types', 'source', 'model');
    expect(mine.output).not.toMatch(/warehouse|people/);
    const owner = await copyProject(DBT_BIN, demo.owner);
    try {
      const all = ['--vars', '{warehouse: true, people: true}'];
      const { output } = await owner.dbt('ls', '--quiet', '--resource-types', 'source', ...all);
      expect(output).toContain('source:usage_etl.warehouse.fact_token_model_daily');
      const built = await owner.dbt('build', '--select', 'bi_people', ...all);
      expect(built.output).toContain('PASS=4');
      expect(built.code).toBe(0);
    } finally {
      await owner.remove();
    }
  });

  test.each([
    ['renamed', 'invocations as calls', 'missing in definition'],
    ['of another type', 'invocations::numeric as invocations', 'data type mismatch'],
    ['new', 'invocations, 1 as another', 'missing in contract'],
  ])('a column that is %s fails the build before anybody asks for it', async (_, columns, reason) => {
    await demo.client.query('alter view bi.skill_usage rename to skill_usage_before');
    await demo.client.query(
      `create view bi.skill_usage as
        select org_key, org_id, usage_date, skill_name, ${columns} from bi.skill_usage_before`,
    );
    await demo.client.query('grant select on bi.skill_usage to usage_analyst');
    try {
      const { code, output } = await project.dbt('build', '--select', 'skill_usage');
      expect(output).toContain('This model has an enforced contract that failed.');
      expect(output).toContain(reason);
      expect(code).toBe(1);
    } finally {
      await demo.client.query('drop view bi.skill_usage');
      await demo.client.query('alter view bi.skill_usage_before rename to skill_usage');
    }
  });
});
