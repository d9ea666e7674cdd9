/** The page of `report` tells no more than it should: names are text, and persons are named only on request. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rowsOf, textOf } from '../support/report-page.ts';
import {
  anybody,
  asked,
  installReported,
  markup,
  type Reported,
  range,
} from '../support/reported-warehouse.ts';

let reported: Reported;
let installation: Reported['installation'];
let directory: string;
let page: string;
let report: Reported['report'];

beforeAll(async () => {
  reported = await installReported();
  ({ installation, directory, page, report } = reported);
}, 300_000);

afterAll(() => reported[Symbol.asyncDispose]());

test('what others named is text, and nothing else', () => {
  expect(page.match(/<(?:script|img|iframe|object|embed|link|form|base)\b/gi)).toBeNull();
  expect(page.match(/<\w+(?:\s+[\w-]+="[^"]*")*\s+on\w+/gi)).toBeNull();
  expect(rowsOf(page, 'top_tools')[0]?.key).toEqual([markup]);
  expect(textOf(page).includes(markup)).toBe(true);
  // Somebody made a name of a hundred thousand characters.
  expect(page.length).toBeLessThan(1_000_000);
});

test('the page may load nothing, and only its own style sheet applies', () => {
  const [, style = ''] = /<style>(.*?)<\/style>/s.exec(page) ?? [];
  const digest = createHash('sha256').update(style).digest('base64');
  expect(page.split('\n').find((line) => line.includes('Content-Security-Policy'))).toBe(
    `<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; style-src &#39;sha256-${digest}&#39;; base-uri &#39;none&#39;; form-action &#39;none&#39;">`,
  );
  expect(page.match(/<[^>]*\s(?:src|srcset|style)="|\shref="(?!#)/g)).toBeNull();
  expect(page.match(/url\((?!#)/g)).toBeNull();
});

test('persons are named only where that is asked for, and allowed', async () => {
  const { rows } = await installation.database.pool.query(
    'select user_id, user_email from warehouse.dim_user where user_email is not null',
  );
  expect(rows.length).toBeGreaterThan(5);
  expect(page.match(/[\w.*]@[\w.]/g)).toBeNull();
  for (const { user_id, user_email } of rows) {
    expect(page.includes(user_id), user_id).toBe(false);
    expect(page.includes(user_email), user_email).toBe(false);
  }
  const named = await report('--from 2026-02-16 --to 2026-03-10 --with-people');
  const [first] = await asked(
    installation,
    1,
    `select user_id, sum(credits) as credits from bi.credits_by_user
    where usage_date ${range} group by 1 order by 2 desc, 1 limit 1`,
  );
  expect(rowsOf(named, 'people')[0]).toMatchObject({ key: first?.key, figures: first?.figures });
  const email = rows.find(({ user_id }) => user_id === first?.key[0])?.user_email;
  expect(textOf(named)).toContain(email ?? first?.key[0]);
  // An address in a name that is no person's stays hidden.
  expect(named.includes(anybody)).toBe(false);
});

test('who may not know persons gets no page that names them', async () => {
  const { pool, url } = installation.database;
  const role = `reader_${Date.now()}`;
  await pool.query(`create role ${role} login password 'secret'`);
  for (const schema of ['warehouse', 'etl', 'bi'])
    await pool.query(
      `grant usage on schema ${schema} to ${role}; grant select on all tables in schema ${schema} to ${role}`,
    );
  const asReader = new URL(url);
  [asReader.username, asReader.password] = [role, 'secret'];
  const environment = { DATABASE_URL: asReader.href };
  try {
    const file = join(directory, 'people.html');
    const { code, stderr } = await installation.run(`report --with-people --out ${file}`, environment);
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('usage_people_reader'),
    });
    expect(existsSync(file)).toBe(false);
    expect(rowsOf(await report('--from 2026-02-16 --to 2026-03-10', environment), 'models')).toEqual(
      rowsOf(page, 'models'),
    );
  } finally {
    await pool.query(`drop owned by ${role}; drop role ${role}`);
  }
});
