/** What `forget-user` asks a person at a terminal. */
import { beforeAll, describe, expect, test } from 'vitest';
import { day } from '../../src/model/day.ts';
import { startSimulator } from '../../src/simulator/server.ts';
import { commandInProcess, loadInProcess } from '../support/commands-in-process.ts';
import { sharedInstallation } from '../support/installation.ts';
import { placesOf } from '../support/named-places.ts';
import { programFile } from '../support/program.ts';
import { hasTerminal, startInTerminal } from '../support/terminal.ts';

const program = [process.execPath, programFile];
const of = '2026-01-14';

const installation = await sharedInstallation({ users: 3 });

describe.skipIf(!hasTerminal())('forget-user at a terminal', () => {
  beforeAll(async () => {
    installation.dataset.overrideRows('users', day(of), [
      { user_id: 'planted-ann', user_email: 'planted@corp.example', date: of, sessions: 1 },
      { user_id: 'bob', user_email: 'planted@corp.example', date: of, sessions: 1 },
    ]);
    await loadInProcess(installation, `backfill --from ${of} --to ${of} --endpoints users`);
  });

  const start = (...words: string[]) =>
    startInTerminal([...program, 'forget-user', ...words], {
      environment: { ...installation.environment, LOG_LEVEL: 'error' },
      columns: 200,
    });

  test.each(['n\n', '\n', '\u0004'])('nobody is forgotten after %j', async (keys) => {
    const run = start('planted-ann');
    await run.says('Forget 1 user for good? [y/N] ');
    run.type(keys);
    const { code, output } = await run.ended;
    expect(code).toBe(1);
    expect(output).toContain('planted-ann of org_test; planted@corp.example is shared with others');
    expect(output).toContain('not confirmed: nobody was forgotten');
    expect((await installation.database.pool.query('select from etl.forgotten_name')).rowCount).toBe(0);
  });

  test('--dry-run asks nothing, and does nothing', async () => {
    const { code, output } = await start('planted@corp.example', '--dry-run').ended;
    expect(code, output).toBe(0);
    expect(output).toMatch(/To be forgotten: 2 users.*bob of org_test.*planted-ann of org_test/s);
    expect(output).not.toContain('[y/N]');
    expect(await placesOf(installation.database.pool, ['planted'])).not.toEqual([]);
  });

  test('while it asks, others work on the organizations in which nobody is meant', async () => {
    const { pool } = installation.database;
    await pool.query("insert into warehouse.dim_org (org_id) values ('org_other')");
    const run = start('planted-ann');
    await run.says('Forget 1 user for good? [y/N] ');
    const simulator = await startSimulator({
      dataset: installation.dataset,
      organizationId: 'org_other',
      apiKeys: { 'other-key': 'owner' },
    });
    const other = { environment: { API_BASE_URL: simulator.url, API_KEY: 'other-key' } };
    const load = `backfill --from ${of} --to ${of} --endpoints users`;
    try {
      expect((await commandInProcess(installation, `${load} --force`)).code).toBe(4);
      expect((await loadInProcess(installation, load, other)).code).toBe(0);
    } finally {
      await simulator.close();
    }
    // That run brought planted-ann of another organization, to whom nobody has agreed.
    run.type('y\n');
    const { code, output } = await run.ended;
    expect(code).toBe(1);
    expect(output).toContain('have changed since they were listed: nobody was forgotten; run it again');
    expect((await pool.query('select from etl.forgotten_name')).rowCount).toBe(0);
    expect((await start('planted-ann', '--dry-run').ended).output).toMatch(
      /: 1 user\s.*org_test.*org_other/s,
    );
  });

  test('after a yes it is done, and nothing is asked with --yes', async () => {
    const run = start('planted@corp.example');
    await run.says('Forget 2 users for good? [y/N] ');
    run.type('y\n');
    const { code, output } = await run.ended;
    expect(code, output).toBe(0);
    expect(output).toContain('Forgotten: 2 users');
    expect(await placesOf(installation.database.pool, ['planted', 'bob'])).toEqual([]);
    const again = await start('planted@corp.example', '--yes').ended;
    expect(again.code, again.output).toBe(0);
    expect(again.output).not.toContain('[y/N]');
  });
});
