/**
 * The dashboards for Superset, in Superset and a browser. `.ci/bi-tools` installs both, and says where. Pictures of them go
 * to `PICTURES`, where that is set.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dashboards } from '../../dashboards/superset/source/assets.ts';
import { type Browser, chromium, type Page } from '../libraries/browser.ts';
import { type Demo, startDemo } from './demo.ts';
import { openDashboard, signIn, takePicture } from './superset-dashboard.ts';
import { type SupersetSite, startSuperset } from './superset-site.ts';

const { SUPERSET_BIN = '', CHROMIUM = '', PICTURES } = process.env;

describe.skipIf(SUPERSET_BIN === '' || CHROMIUM === '')('in Superset (SUPERSET_BIN, CHROMIUM)', () => {
  let site: SupersetSite;
  let demo: Demo;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    // Both take their time, side by side.
    const starting = startDemo('--users', '60').then(async (started) => {
      demo = started;
      await liveIn(demo);
      return {
        usage: await demo.login('usage_analyst'),
        usage_people: await demo.login('usage_people_reader'),
      };
    });
    site = await startSuperset(SUPERSET_BIN, starting);
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
    // Superset asks for what is seen only: all of a dashboard is.
    page = await browser.newPage({ viewport: { width: 1280, height: 2_600 } });
    await signIn(page, site.address);
    // Superset makes its own database in many steps, which a busy machine takes minutes for.
  }, 900_000);

  afterAll(async () => {
    await browser?.close();
    await site?.stop();
    await demo?.stop();
  });

  test('the files are imported, and imported once more over themselves, without a complaint', () => {
    expect(site.log).not.toMatch(/An error occurred|Traceback|Couldn't check/);
  });

  test.each(dashboards.map(({ slug, title, rows }) => ({ slug, title, rows })))(
    'every chart of "$title" has an answer with rows',
    async ({ slug, rows }) => {
      const answers = await openDashboard(page, site.address, slug);
      expect(answers.map(({ chart }) => chart).sort()).toEqual(
        rows.flatMap(({ places }) => places.map(({ chart }) => chart.name)).sort(),
      );
      for (const answer of answers)
        expect(answer).toMatchObject({ status: 200, rows: expect.toSatisfy((rows) => rows > 0) });
      expect(await page.locator('.ant-alert-error').allInnerTexts()).toEqual([]);
      if (PICTURES === undefined) return;
      await takePicture(page, join(PICTURES, `superset-${slug.replace('usage-', '')}.png`), SUPERSET_BIN);
    },
  );
});

/** What real warehouses have, and a demo has not: people who stopped, credit limits, a gap. */
async function liveIn({ client }: Demo): Promise<void> {
  await client.query(`
    with stopped as (
      select org_key, user_key, row_number() over (order by user_id) as place
      from warehouse.dim_user
      order by user_id
      limit 5
    )
    delete from warehouse.fact_user_daily as f
    using stopped
    where f.org_key = stopped.org_key
      and f.user_key = stopped.user_key
      and f.usage_date > current_date - 35 * stopped.place::integer`);
  await client.query(`
    insert into warehouse.credit_limit (org_key, user_email, limit_credits)
    select org_key, user_email, 500000 + 500000 * (user_key % 4)
    from warehouse.dim_user
    where user_email is not null
    order by user_id desc
    limit 8`);
  await client.query(`
    insert into etl.asked_range
    select org_key, endpoint, min(usage_date) from etl.slice where usage_date is not null group by org_key, endpoint`);
  await client.query(`
    delete from etl.slice
    where endpoint = 'tools'
      and usage_date in (current_date - 40, current_date - 39)`);
}
