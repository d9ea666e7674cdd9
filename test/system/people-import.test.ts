import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openPool, withSession } from '../../src/warehouse/connection/connection.ts';
import { lockOrganization } from '../../src/warehouse/locks/organization-lock.ts';
import { changes, installForImports } from '../support/imports.ts';
import { organization } from '../support/installation.ts';

let imports: Awaited<ReturnType<typeof installForImports>>;

beforeEach(async () => {
  imports = await installForImports();
});

afterEach(() => imports[Symbol.asyncDispose]());

const people = () =>
  imports.rows(
    `select coalesce(user_id, user_email) as person, team, department, cost_center,
      valid_from::text, valid_to::text
    from warehouse.person_assignment order by org_key, person, valid_from`,
  );

describe('people import', () => {
  test('closes an open end where the next period begins, and keeps persons who are not known yet', async () => {
    await imports.addUser('u1', 'ada@example.com');
    const imported = await imports.importLines('people', [
      'user_email,team,valid_from,department',
      'Ada@Example.com,core,2026-01-14,research',
      'ADA@example.com,web,2026-03-01,',
      'new@example.com,web,2026-02-01,sales',
    ]);
    expect(imported).toMatchObject(changes(3, 0, 0));
    expect(imported.told).toMatchObject({ persons: 2, unknown: 1, rows: { read: 3 } });
    expect(await people()).toEqual([
      'ADA@example.com|web|||2026-03-01|',
      'Ada@Example.com|core|research||2026-01-14|2026-02-28',
      'new@example.com|web|sales||2026-02-01|',
    ]);
    // Autovacuum may not come: the embedded Postgres is up only while a command runs.
    const analyzed = await imports.rows(
      `select distinct tablename from pg_stats
      where schemaname = 'warehouse' and tablename in ('person_assignment', 'dim_user') order by 1`,
    );
    expect(analyzed, 'what the planner knows').toEqual(['dim_user', 'person_assignment']);
  });

  test('changes nothing when the same file comes again, with a byte order mark and other line ends', async () => {
    const lines = [
      'team,valid_from,valid_to,user_id',
      'core,2026-01-14,2026-02-28,u1',
      '"a ""b"", c",2026-03-01,,u1',
    ];
    expect(await imports.importLines('people', lines)).toMatchObject(changes(2, 0, 0));
    expect(await imports.importLines('people', lines)).toMatchObject(changes(0, 0, 0));
    expect(await imports.importLines('people', Buffer.from(`\ufeff${lines.join('\r\n')}\r\n`))).toMatchObject(
      changes(0, 0, 0),
    );
    expect(await people()).toEqual(['u1|core|||2026-01-14|2026-02-28', 'u1|a "b", c|||2026-03-01|']);
  });

  test('replaces all periods of the persons in the file, and leaves the others', async () => {
    await imports.importLines('people', [
      'user_id,team,valid_from',
      'u1,core,2026-01-14',
      'u1,web,2026-02-01',
      'u2,web,2026-01-14',
    ]);
    expect(
      await imports.importLines('people', ['user_id,team,valid_from', 'u1,ops,2026-01-14']),
    ).toMatchObject(changes(0, 1, 1));
    expect(await people()).toEqual(['u1|ops|||2026-01-14|', 'u2|web|||2026-01-14|']);
  });

  test('replaces what is held of a person under the other name, but not of who shares the address', async () => {
    await imports.addUser('u1', 'ada@example.com');
    await imports.addUser('u2', 'team@example.com');
    await imports.addUser('u3', 'team@example.com');
    await imports.importLines('people', [
      'user_email,team,valid_from',
      'ada@example.com,core,2026-01-14',
      'team@example.com,core,2026-01-14',
    ]);
    await imports.importLines('people', [
      'user_id,team,valid_from',
      'u1,web,2026-01-14',
      'u2,web,2026-01-14',
    ]);
    expect(await people()).toEqual([
      'team@example.com|core|||2026-01-14|',
      'u1|web|||2026-01-14|',
      'u2|web|||2026-01-14|',
    ]);
    await imports.importLines('people', ['user_email,team,valid_from', 'TEAM@example.com,ops,2026-01-14']);
    expect(await people()).toEqual(['TEAM@example.com|ops|||2026-01-14|', 'u1|web|||2026-01-14|']);
  });

  test('knows an address whether its accents are written in one character or in two', async () => {
    const [one, two] = ['\u00e9ve@example.com', 'E\u0301VE@example.com'];
    await imports.addUser('u1', one);
    await imports.addUser('u2', two);
    const { told } = await imports.importLines('people', [
      'user_email,team,valid_from',
      `${one},Blue,2026-01-01`,
      `${two},Red,2026-03-01`,
    ]);
    expect(told).toMatchObject({ persons: 1, unknown: 0 });
    const teams = `select u.user_id, a.team from warehouse.assigned_team as a
      join warehouse.dim_user as u using (user_key) order by 1, a.valid_from`;
    expect(await imports.rows(teams)).toEqual(['u1|Blue', 'u1|Red', 'u2|Blue', 'u2|Red']);
  });

  test('tells every bad line by its number, and imports nothing of such a file', async () => {
    await imports.addUser('u1', 'ada@example.com');
    const before = ['user_id,team,valid_from', 'u9,core,2026-01-14'];
    await imports.importLines('people', before);
    const { code, stderr } = await imports.importLines('people', [
      'user_id,user_email,team,valid_from,valid_to',
      'u2,,core,2026-01-14,',
      ',,core,2026-01-14,',
      'u3,c@example.com,core,2026-01-14,',
      ',not an address,core,2026-01-14,',
      'u4,,,2026-01-14,',
      'u5,,core,14.01.2026,',
      'u6,,core,2026-02-01,2026-01-31',
      'u7,,core,2026-02-30,',
    ]);
    expect(code).toBe(2);
    for (const [line, column] of [
      [3, 'user_id, user_email'],
      [4, 'user_id, user_email'],
      [5, 'user_email'],
      [6, 'team'],
      [7, 'valid_from'],
      [8, 'valid_to'],
      [9, 'valid_from'],
    ])
      expect(stderr).toContain(`usage-etl: line ${line}: ${column}: `);
    expect(stderr.trimEnd().split('\n')).toHaveLength(7);
    expect(await people()).toEqual(['u9|core|||2026-01-14|']);
  });

  test('refuses periods that overlap, and a person who is named in both ways', async () => {
    await imports.addUser('u1', 'ada@example.com');
    const overlapping = await imports.importLines('people', [
      'user_id,team,valid_from,valid_to',
      'u2,core,2026-01-14,2026-02-10',
      'u2,web,2026-02-10,',
      'u3,core,2026-01-14,',
      'u3,web,2026-01-14,',
    ]);
    expect(overlapping.code).toBe(2);
    expect(overlapping.stderr).toMatch(
      /line 3: valid_from: 2026-02-10 lies within .* line 2\n.*line 5: valid_from: /,
    );
    const twice = await imports.importLines('people', [
      'user_id,user_email,team,valid_from',
      'u1,,core,2026-01-14',
      ',ADA@example.com,web,2026-02-01',
    ]);
    expect(twice.code).toBe(2);
    expect(twice.stderr).toContain('line 3: user_email: the same person is named by user_id in line 2');
    expect(await people()).toEqual([]);
  });

  test('tells overlaps, and who is named both ways, among all other bad lines', async () => {
    await imports.addUser('u1', 'ada@example.com');
    const { code, stderr } = await imports.importLines('people', [
      'user_id,user_email,team,valid_from,valid_to,org_id',
      'u2,,core,2026-01-14,2026-02-10,',
      'u2,,,2026-02-10,,',
      'u3,,core,14.01.2026,,',
      'u1,,core,2026-01-14,2026-01-31,',
      ',ADA@example.com,core,2026-02-01,,',
      'u4,,core,2026-01-14,,org_none',
      'u5,,core,2026-01-14,,',
      'u5,,core,2026-01-14,,',
      'u6,,,2026-01-14,,',
    ]);
    expect(code).toBe(2);
    expect(
      stderr
        .trimEnd()
        .split('\n')
        .map((line) => line.replace(/^usage-etl: (line \d+: \w+): .*$/, '$1')),
    ).toEqual([
      'line 3: team',
      'line 3: valid_from',
      'line 4: valid_from',
      'line 6: user_email',
      'line 7: org_id',
      'line 9: valid_from',
      'line 10: team',
    ]);
    expect(await people()).toEqual([]);
  });

  test('wants an org_id where the warehouse holds several organizations', async () => {
    const other = await imports.addOrganization('org_other');
    await imports.addUser('u1', 'ada@example.com', other);
    const unsaid = await imports.importLines('people', ['user_id,team,valid_from', 'u1,core,2026-01-14']);
    expect(unsaid.code).toBe(2);
    expect(unsaid.stderr).toContain(
      'line 2: org_id: expected an organization, because the warehouse holds 2 of them',
    );
    const unknown = await imports.importLines('people', [
      'user_id,team,valid_from,org_id',
      'u1,core,2026-01-14,org_none',
    ]);
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('no organization "org_none"') });
    const said = [
      'org_id,user_id,team,valid_from',
      `${organization},u1,core,2026-01-14`,
      'org_other,u1,web,2026-01-14',
    ];
    expect(await imports.importLines('people', said)).toMatchObject(changes(2, 0, 0));
    expect(await people()).toEqual(['u1|core|||2026-01-14|', 'u1|web|||2026-01-14|']);
  });

  test.each([
    ['an empty file', [], 'got an empty file'],
    ['a file with nothing but columns', ['user_id,team,valid_from'], 'expected at least one line'],
    ['semicolons', ['user_id;team;valid_from', 'u1;core;2026-01-14'], 'separate the columns by commas'],
    ['an unknown column', ['user_id,team,valid_from,salary', 'u1,core,2026-01-14,1'], 'no column "salary"'],
    ['a column that is missing', ['user_id,team', 'u1,core'], 'valid_from is missing'],
  ])('refuses %s', async (_, lines, sentence) => {
    expect(await imports.importLines('people', lines)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(sentence),
    });
  });

  test('stores no e-mail with USER_EMAIL=none', async () => {
    const lines = ['user_email,team,valid_from', 'ada@example.com,core,2026-01-14'];
    const refused = await imports.importLines('people', lines, { USER_EMAIL: 'none' });
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('line 2: user_email: expected none'),
    });
    expect(await people()).toEqual([]);
  });

  test('waits for nobody who works on the organization: exit code 4, and nothing imported', async () => {
    const pool = openPool(imports.installation.database.url, 1);
    try {
      await withSession(pool, async ({ client }) => {
        expect(await lockOrganization(client, 1)).toBe(true);
        expect(
          await imports.importLines('people', ['user_id,team,valid_from', 'u1,core,2026-01-14']),
        ).toMatchObject({
          code: 4,
        });
      });
      expect(await people()).toEqual([]);
    } finally {
      await pool.end();
    }
  });
});

test('an import is a recorded run, without the persons in it', async () => {
  await imports.importLines('people', ['user_email,team,valid_from', 'ada@example.com,core,2026-01-14']);
  const { rows } = await imports.installation.database.pool.query<{ text: string }>(
    'select to_jsonb(run)::text as text from etl.run as run',
  );
  expect(rows).toHaveLength(1);
  expect(rows[0]?.text).toMatch(/"job": "people import".*"rows_inserted": 1/);
  expect(rows[0]?.text).not.toContain('ada');
});
