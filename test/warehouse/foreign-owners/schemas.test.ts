/** Schemas that others made beforehand are refused by name. */
import { describe, expect, test } from 'vitest';
import { migrate } from '../../../src/warehouse/migrations/migrations.ts';
import { setUpEmptyDatabase, strike, wasStruck } from '../../support/foreign-owners.ts';
import { asPerson } from '../../support/planted-code.ts';
import { programFile, startProgram } from '../../support/program.ts';

const shared = setUpEmptyDatabase();

describe('a schema that somebody made beforehand', () => {
  const trap = `
    create schema etl;
    create table etl.migration (name varchar(255) primary key, timestamp varchar(255) not null);
    create trigger trap before insert on etl.migration for each row execute function public.strike();
    grant all on schema etl to public;
    grant all on etl.migration to public;`;

  test('is refused by name by every command and for every role, before it is read', async () => {
    await asPerson(shared().mallory, `${strike('trigger', 'new')} ${trap}`);
    for (const url of [shared().loader.url, shared().database.url])
      for (const commandLine of ['migrate', 'migrate --status', 'status', 'maintenance']) {
        const { code, stderr } = await startProgram(programFile, commandLine.split(' '), {
          DATABASE_URL: url,
        }).ended;
        expect({ commandLine, code, stderr }).toEqual({
          commandLine,
          code: 2,
          stderr: expect.stringMatching(
            new RegExp(
              `schema etl \\(of role ${shared().mallory.role}\\), table etl.migration \\(of role ${shared().mallory.role}\\)`,
            ),
          ),
        });
      }
    expect(await wasStruck(shared())).toBe(false);
    const doctor = await startProgram(programFile, ['doctor'], { DATABASE_URL: shared().loader.url }).ended;
    expect(doctor.stdout).toMatch(/^✗ owners: .*schema etl \(of role mallory_/m);
    expect(doctor.stdout).not.toMatch(/^[✓!✗] migrations/m);
  });

  test.each(['etl', 'warehouse', 'bi', 'bi_people'])(
    'is refused where it is %s alone, and empty',
    async (schema) => {
      await asPerson(shared().mallory, `create schema ${schema}; grant all on schema ${schema} to public`);
      for (const url of [shared().loader.url, shared().database.url])
        await expect(migrate(url)).rejects.toThrow(`schema ${schema} (of role ${shared().mallory.role})`);
    },
  );
});
