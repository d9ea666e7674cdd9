/** The dbt project, in dbt and MetricFlow, as a login that may read the views and nothing else. `.ci/bi-tools` installs them. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
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

  test('MetricFlow finds no wrong column in what metrics name', async () => {
    const { code, output } = await project.mf('validate-configs');
    expect(output).toContain('ERRORS: 0');
    expect(output).not.toMatch(/ERRORS: [1-9]/);
    expect(code).toBe(0);
  });

  test('MetricFlow finds a wrong column that dbt passes', async () => {
    const wrong = await copyProject(DBT_BIN, await demo.login('usage_analyst'));
    try {
      const models = join(wrong.directory, 'models');
      // One view, and the days that all metrics need: asking for every metric takes long.
      for (const name of await readdir(join(models, 'bi'))) {
        if (!/^(skill_usage|calendar)\./.test(name)) await rm(join(models, 'bi', name));
      }
      for (const name of ['models/metrics.yml', 'models/exposures.yml', 'tests/data_is_whole.sql']) {
        await rm(join(wrong.directory, name));
      }
      const file = join(models, 'bi', 'skill_usage.yml');
      const text = await readFile(file, 'utf8');
      expect(text).toContain('expr: invocations');
      await writeFile(file, text.replace('expr: invocations', 'expr: no_such_column'));
      expect((await wrong.dbt('parse')).code).toBe(0);
      const { output } = await wrong.mf('validate-configs');
      expect(output).toMatch(/ERRORS: [1-9]/);
      expect(output).toContain('column "no_such_column" does not exist');
    } finally {
      await wrong.remove();
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
    const sourcesOf = async ({ directory }: DbtProject) =>
      Object.keys(JSON.parse(await readFile(join(directory, 'target', 'manifest.json'), 'utf8')).sources);
    expect(await sourcesOf(project)).toEqual(['source.usage_etl.bi.data_freshness']);
    const owner = await copyProject(DBT_BIN, demo.owner);
    try {
      const all = ['--vars', '{warehouse: true, people: true}'];
      const built = await owner.dbt('build', '--select', 'bi_people', ...all);
      expect(built.output).toContain('PASS=4');
      expect(built.code).toBe(0);
      expect(await sourcesOf(owner)).toContain('source.usage_etl.warehouse.fact_token_model_daily');
    } finally {
      await owner.remove();
    }
  });

  test('a column that is renamed, retyped or new fails the build before anybody asks for it', async () => {
    const changed = [
      ['skill_usage', 'org_key, org_id, usage_date, skill_name, invocations as calls'],
      [
        'slash_command_usage',
        'org_key, org_id, usage_date, command_name, invocations::numeric as invocations',
      ],
      ['productivity_by_language', '*, 1 as another'],
    ] as const;
    for (const [view, columns] of changed) {
      await demo.client.query(`alter view bi.${view} rename to ${view}_before`);
      await demo.client.query(`create view bi.${view} as select ${columns} from bi.${view}_before`);
      await demo.client.query(`grant select on bi.${view} to usage_analyst`);
    }
    try {
      const { code, output } = await project.dbt('build', '--select', ...changed.map(([view]) => view));
      expect(output.split('This model has an enforced contract that failed.')).toHaveLength(4);
      for (const reason of ['missing in definition', 'data type mismatch', 'missing in contract']) {
        expect(output).toContain(reason);
      }
      expect(code).toBe(1);
    } finally {
      for (const [view] of changed) {
        await demo.client.query(`drop view bi.${view}`);
        await demo.client.query(`alter view bi.${view}_before rename to ${view}`);
      }
    }
  });
});
