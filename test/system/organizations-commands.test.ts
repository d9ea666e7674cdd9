/** Commands that read: each with a file of three organizations, one of which was never loaded. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { lockOrganization } from '../../src/warehouse/locks/organization-lock.ts';
import { installOrganizations, type Organizations, organizationOf } from '../support/organizations.ts';

const [from, to] = ['2026-01-14', '2026-01-15'];
let installed: Organizations;

beforeAll(async () => {
  installed = await installOrganizations(['acme', 'beta', 'never']);
  await installed.load('beta', from, to);
  await installed.load('acme', from, to);
});

afterEach(() => installed.write());

afterAll(() => installed[Symbol.asyncDispose]());

function requestsOf(name: string) {
  return organizationOf(installed.all, name).simulator.requests;
}

describe('--organization', () => {
  test.each([
    [
      'status --organization nobody',
      /^usage-etl: --organization: expected a name of ORGANIZATIONS_FILE \(acme, beta, never\), got "nobody"\n$/,
    ],
    [
      'sessions load',
      /^usage-etl: --organization: expected the name of one organization of ORGANIZATIONS_FILE \(acme, beta, never\), got none\n$/,
    ],
    ['limits history', /--organization: expected the name of one organization/],
    ['computers create build-13', /--organization: expected the name of one organization/],
    [
      'computers list --organization acme --organization beta',
      /--organization: expected the name of one organization .* got 2\n$/,
    ],
  ])('%s is wrong usage', async (commandLine, sentence) => {
    const { code, stdout, stderr } = await installed.run(commandLine);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(sentence);
  });

  test('without the file is wrong usage', async () => {
    const { code, stderr } = await installed.run('status --organization acme', { ORGANIZATIONS_FILE: '' });
    expect(code).toBe(2);
    expect(stderr).toBe(
      'usage-etl: --organization: expected ORGANIZATIONS_FILE to be set, because it has the names; set it, or leave the option out\n',
    );
  });

  test('is completed by the shell', async () => {
    expect((await installed.run('completion bash')).stdout).toMatch(
      /^ +status\) offers='[^']*--organization/m,
    );
  });
});

describe('a wrong file', () => {
  test('ends every command with 2 and all problems, and asks nobody', async () => {
    await installed.write('- name: acme\n  api_key: hidden-4711\n');
    const asked = requestsOf('acme').length;
    const more = { API_BASE_URL: 'https://api.example.com', SESSION_SPOOL_DIR: '/tmp' };
    for (const command of ['status', 'backfill', 'computers list --organization acme']) {
      const { code, stdout, stderr } = await installed.run(command, more);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr.trimEnd().split('\n')).toEqual([
        expect.stringContaining('ORGANIZATIONS_FILE: entry 4 (acme): api_key: the file holds no key'),
        expect.stringContaining('ORGANIZATIONS_FILE: entry 4 (acme): api_base_url: missing'),
        expect.stringContaining('ORGANIZATIONS_FILE: entry 4 (acme): name: stands in entry 1, too'),
        expect.stringContaining('API_BASE_URL: cannot be set beside ORGANIZATIONS_FILE'),
        expect.stringContaining('SESSION_SPOOL_DIR: cannot be set beside ORGANIZATIONS_FILE'),
      ]);
      expect(stderr).not.toContain('hidden');
    }
    expect(requestsOf('acme').length).toBe(asked);
  });
});

describe('status', () => {
  test('has every organization of the file, in its order; one that never answered fails --check', async () => {
    const { code, object } = await installed.json(`status --check --to ${to}`);
    expect(code).toBe(1);
    expect(object).toMatchObject({
      complete: false,
      error: 'incomplete: never',
      organizations: [
        { name: 'acme', organization: 'org_acme', complete: true, endpoints: expect.any(Array) },
        { name: 'beta', organization: 'org_beta', complete: true },
        { name: 'never', organization: null, complete: false, endpoints: [] },
      ],
    });
    const some = await installed.run(`status --check --to ${to} --organization beta --organization acme`);
    expect(some.code).toBe(0);
  });

  test('counts missing days of all, and lists those of organizations that are not whole', async () => {
    const { object } = await installed.json('status --to 2026-01-17 --organization acme');
    expect(object).toMatchObject({
      organizations: [
        {
          endpoints: expect.arrayContaining([
            expect.objectContaining({
              endpoint: 'tokens',
              gaps_count: 2,
              failed_count: 0,
              pending_count: 0,
              gaps: ['2026-01-16', '2026-01-17'],
            }),
          ]),
        },
      ],
    });
    const whole = await installed.json(`status --to ${to} --organization acme`);
    expect(JSON.stringify(whole.object)).toContain('"gaps_count":0');
  });

  test('says the worst first, in at most a hundred lines', async () => {
    const { stdout } = await installed.run(`status --to ${to}`);
    expect(stdout.match(/^\w+(?= \(|: inc).*/gm)).toEqual([
      'never: incomplete: the platform has never answered for it',
      'acme (org_acme): complete',
      'beta (org_beta): complete',
    ]);
    const url = organizationOf(installed.all, 'acme').simulator.url;
    const more = Array.from(
      { length: 150 },
      (_, index) => `- name: more-${index}\n  api_base_url: ${url}\n  api_key_env: NO_KEY\n`,
    );
    await installed.write(more.join(''));
    const many = await installed.run(`status --to 2026-01-17`);
    const lines = many.stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(99);
    expect(lines[0]).toBe('153 organizations: 0 complete, 153 incomplete');
    expect(lines[2]).toMatch(/^never +never answered /);
    expect(lines.at(-2)).toBe('and 58 more, 58 of them incomplete; `--json` has all');
    const some = await installed.run(`status --check`);
    expect(some.stderr).toBe('');
    const { object } = await installed.json('status --check --max-age 1');
    expect(object).toMatchObject({
      error: expect.stringMatching(/^incomplete: acme, beta, never, more-0,.* and 143 more; /),
    });
  });
});

describe('doctor', () => {
  test('checks each organization with at most two requests, and has a line for those that are well', async () => {
    const before = requestsOf('acme').length;
    const { code, stdout } = await installed.run('doctor');
    expect(stdout).toMatch(/^✓ ORGANIZATIONS_FILE: names 3 organizations$/m);
    expect(stdout).toMatch(/^✓ organizations: 3 of 3 answer$/m);
    expect(stdout).toMatch(/^✓ clock: /m);
    expect(code).toBe(0);
    expect(requestsOf('acme').length - before).toBeLessThanOrEqual(2);
  });

  test('has a line for each organization that is not, and tells no key', async () => {
    const [acme, beta] = [organizationOf(installed.all, 'acme'), organizationOf(installed.all, 'beta')];
    await writeFile(join(installed.folder, 'two'), 'hidden\nhidden\n', { mode: 0o600 });
    await writeFile(join(installed.folder, 'open'), acme.key, { mode: 0o644 });
    await mkdir(join(installed.folder, 'folder'));
    const entry = (name: string, key: string, more = '') =>
      `- name: ${name}\n  api_base_url: ${acme.simulator.url}\n  ${key}\n${more}`;
    await installed.write(
      [
        entry('two-lines', 'api_key_file: two'),
        entry('folder', 'api_key_file: folder'),
        entry('unset', 'api_key_env: NO_KEY'),
        entry('refused', 'api_key_env: WRONG_KEY'),
        entry('same', 'api_key_file: keys/acme.key'),
        entry('moved', 'api_key_file: keys/acme.key', '  org_id: org_other\n'),
        entry('readable', 'api_key_file: open'),
      ].join(''),
    );
    const { code, stdout } = await installed.run('doctor', { WRONG_KEY: 'hidden-wrong-key' });
    expect(code).toBe(2);
    expect(stdout.split('\n').filter((line) => line.includes('organization'))).toEqual([
      '✓ ORGANIZATIONS_FILE: names 10 organizations',
      '✓ organizations: 3 of 10 answer',
      '✗ organization two-lines: api_key_file: the file that it names holds no key → expected printable characters without spaces, on one line',
      '✗ organization folder: api_key_file: the file that it names is no regular file → put the key there, as the only line',
      '✗ organization unset: api_key_env: the variable NO_KEY is not set → set it to the key',
      "✗ organization refused: its key: the platform does not accept it (401) → make a key in the application's API key settings as a user with the Manager or Owner role, and put it into its api_key_file or api_key_env",
      '✗ organization same: the platform answers as org_acme, as for acme → give each its own key, or remove one of the two',
      '✗ organization moved: org_id: expected org_other, but the platform answers as org_acme → put the key of org_other in the place of this one',
      expect.stringMatching(/^✗ organization readable: the platform answers as org_acme, as for acme/),
    ]);
    expect(stdout).not.toMatch(/hidden|4711/);
    const only = await installed.run('doctor --organization acme --organization beta');
    expect(only.code).toBe(0);
    expect(only.stdout).toMatch(/^✓ organizations: 2 of 2 answer$/m);
    const unknown = await installed.run('doctor --organization nobody');
    expect(unknown.stdout).toMatch(/^✗ --organization: expected a name of ORGANIZATIONS_FILE/m);
    expect([unknown.code, beta.name]).toEqual([2, 'beta']);
  });
});

test('doctor has a hundred lines for organizations that are not well, and says how many more there are', async () => {
  const url = organizationOf(installed.all, 'acme').simulator.url;
  const more = Array.from(
    { length: 120 },
    (_, index) => `- name: more-${index}\n  api_base_url: ${url}\n  api_key_env: NO_KEY\n`,
  );
  await installed.write(more.join(''));
  const { code, stdout } = await installed.run('doctor');
  expect(code).toBe(2);
  expect(stdout.match(/^✗ organization more-\d+: /gm)).toHaveLength(100);
  expect(stdout).toMatch(/^✗ organizations: 20 more are not well → put these in order first$/m);
  expect(stdout).toMatch(/^✓ organizations: 3 of 123 answer$/m);
});

test('backfill --dry-run plans each organization by its own settings, and asks nobody', async () => {
  const before = requestsOf('beta').length;
  const url = organizationOf(installed.all, 'acme').simulator.url;
  await installed.write(`- name: slow\n  api_base_url: ${url}\n  api_key_env: NO_KEY\n  window_days: 1\n`);
  const { code, object } = await installed.json(`backfill --dry-run --from ${from} --to 2026-01-17`);
  expect(code).toBe(0);
  expect(object).toMatchObject({
    plans: [
      { name: 'acme', organization: 'org_acme', slices: 11 },
      { name: 'beta', organization: 'org_beta', slices: 11 },
      { name: 'never', organization: null, slices: 21, requests_at_least: 9 },
      { name: 'slow', organization: null, slices: 21, requests_at_least: 21 },
    ],
  });
  expect(requestsOf('beta').length).toBe(before);
});

test('report makes a page of the named organizations, and of at most twenty', async () => {
  const out = join(installed.folder, 'report.html');
  const { code, object } = await installed.json(
    `report --organization beta --from ${from} --to ${to} --out ${out}`,
  );
  expect({ code, object }).toMatchObject({
    code: 0,
    object: { organizations: [{ organization: 'org_beta', has_data: true }] },
  });
  expect(await readFile(out, 'utf8')).not.toContain('org_acme');
  const url = organizationOf(installed.all, 'acme').simulator.url;
  const more = Array.from(
    { length: 18 },
    (_, index) => `- name: more-${index}\n  api_base_url: ${url}\n  api_key_env: NO_KEY\n`,
  );
  await installed.write(more.join(''));
  const many = await installed.run(`report --out ${out}`);
  expect(many.code).toBe(2);
  expect(many.stderr).toBe(
    'usage-etl: report: expected at most 20 organizations, got 21; choose some with --organization, of ORGANIZATIONS_FILE\n',
  );
});

describe('while others work on one organization', () => {
  test('maintenance does the others, and says how many are left', async () => {
    const { pool } = installed.database;
    const client = await pool.connect();
    const { rows } = await pool.query('select org_key from etl.organization where name = $1', ['beta']);
    try {
      await client.query("set application_name = 'usage-etl'");
      expect(await lockOrganization(client, rows[0].org_key)).toBe(true);
      const { code, object } = await installed.json('maintenance --archive-months 0');
      expect({ code, object }).toMatchObject({ code: 0, object: { organizations_left: 1 } });
      const kept = await pool.query(
        'select distinct name from etl.raw_slice join etl.organization using (org_key) order by name',
      );
      expect(kept.rows).toEqual([{ name: 'beta' }]);
      const text = await installed.run('maintenance');
      expect(text.stdout).toMatch(/1 organization that others work on: left for the next time\.\n$/);
      const other = await installed.json('maintenance --organization acme');
      expect(other.object).toMatchObject({ organizations_left: 0 });
    } finally {
      client.release(true);
    }
  });
});

describe('imports', () => {
  async function importPeople(text: string, more = '') {
    const file = join(installed.folder, 'people.csv');
    await writeFile(file, text);
    return installed.run(`people import ${file}${more}`);
  }

  test('people import takes names in a column organization in the place of ids', async () => {
    const { code, stderr } = await importPeople(
      'organization,user_id,team,valid_from\nacme,u1,core,2026-01-14\nbeta,u1,edge,2026-01-14\n',
    );
    expect({ code, stderr: stderr.replaceAll(/^(?!usage-etl:).*\n/gm, '') }).toEqual({ code: 0, stderr: '' });
    const { rows } = await installed.database.pool.query(
      'select name, team from warehouse.person_assignment join etl.organization using (org_key) order by name',
    );
    expect(rows).toEqual([
      { name: 'acme', team: 'core' },
      { name: 'beta', team: 'edge' },
    ]);
    const one = await importPeople('user_id,team,valid_from\nu1,one,2026-01-14\n', ' --organization acme');
    expect(one.code).toBe(0);
  });

  test.each([
    ['nobody', '', 'organization: "nobody" is none of the organizations that this command works on'],
    ['never', '', 'organization: the platform has never answered for "never"; load it first'],
    [
      'beta',
      '',
      'organization: "beta" is none of the organizations that this command works on',
      ' --organization acme',
    ],
    [
      '',
      'org_beta',
      'org_id: "org_beta" is none of the organizations that this command works on',
      ' --organization acme',
    ],
    ['', '', 'org_id: expected an organization, because the command works on 3 of them; got nothing'],
    ['acme', 'org_acme', 'org_id, organization: expected one of the two, got both'],
  ])('a line with the name %j and the id %j is told', async (name, id, sentence, more = '') => {
    const { code, stderr } = await importPeople(
      `organization,org_id,user_id,team,valid_from\n${name},${id},u1,core,2026-01-14\n`,
      more,
    );
    expect(code).toBe(2);
    expect(stderr).toContain(`line 2: ${sentence}`);
  });
});

describe('commands for one organization', () => {
  test('computers and sessions ask the platform with its key', async () => {
    const created = await installed.json('computers create build-13 --organization beta');
    expect(created).toMatchObject({ code: 0, object: { computer: { name: 'build-13' } } });
    expect((await installed.json('computers list --organization acme')).object).toEqual({ computers: [] });
    const listed = await installed.json('computers list --organization beta');
    expect(listed.object).toMatchObject({ computers: [{ name: 'build-13' }] });
    const shown = await installed.run('sessions show session_000000001 --organization acme');
    expect(shown.code).toBe(0);
    const added = await installed.json('sessions add session_000000001 --organization never');
    expect(added).toMatchObject({ code: 0, object: { registered: 1 } });
    const { rows } = await installed.database.pool.query(
      "select org_id from etl.organization join warehouse.dim_org using (org_key) where name = 'never'",
    );
    expect(rows).toEqual([{ org_id: 'org_never' }]);
  });

  test('computers refuse the key of another organization than org_id, and change nothing', async () => {
    const { simulator } = organizationOf(installed.all, 'acme');
    await installed.write(
      `- name: moved\n  api_base_url: ${simulator.url}\n  api_key_file: keys/acme.key\n  org_id: org_other\n`,
    );
    const { code, stderr } = await installed.run('computers create build-14 --organization moved');
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /moved: org_id: expected .*"org_other", but it answered as "org_acme"; nothing was done/,
    );
    expect((await installed.json('computers list --organization acme')).object).toEqual({ computers: [] });
  });

  test('limits know whose they are without asking', async () => {
    const suggested = await installed.json('limits suggest --organization acme');
    expect(suggested).toMatchObject({ code: 0, object: { organization: 'org_acme' } });
    const file = join(installed.folder, 'limits.csv');
    await writeFile(file, 'email,limit\nada@example.com,1000000\n');
    const planned = await installed.json(`limits apply ${file} --dry-run --organization beta`);
    expect(planned).toMatchObject({ code: 0, object: { organization: 'org_beta' } });
    expect((await installed.json('limits history --organization beta')).object).toEqual({ changes: [] });
  });

  test('each has its own folder of ended sessions, relative to the file', async () => {
    const url = organizationOf(installed.all, 'acme').simulator.url;
    await installed.write(
      `- name: spooled\n  api_base_url: ${url}\n  api_key_env: NO_KEY\n  session_spool_dir: spool/one\n`,
    );
    const { code, object } = await installed.json('sessions hook --organization spooled');
    expect(code).toBe(0);
    expect(JSON.stringify(object)).toContain(join(installed.folder, 'spool/one'));
    expect((await installed.run('sessions hook --organization acme')).code).toBe(2);
  });

  test('an organization without a key ends with 2, by its name', async () => {
    const url = organizationOf(installed.all, 'acme').simulator.url;
    await installed.write(`- name: unset\n  api_base_url: ${url}\n  api_key_env: NO_KEY\n`);
    const { code, stderr } = await installed.run('computers list --organization unset');
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'usage-etl: unset: api_key_env: the variable NO_KEY is not set; set it to the key\n',
    });
  });
});
