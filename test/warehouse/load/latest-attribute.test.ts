import { beforeEach, describe, expect, it } from 'vitest';
import { addDays, type Day } from '../../../src/model/day.ts';
import { user, userEmail } from '../../../src/sources/dimensions.ts';
import { openDimensionKeys } from '../../../src/warehouse/load/dimension-keys.ts';
import { sampleDay } from '../../support/samples.ts';
import { sharedSliceLoading } from '../../support/slice-loading.ts';

const loading = await sharedSliceLoading();

beforeEach(() => loading.clear());

describe('the e-mail of a user', () => {
  const email = async () =>
    (await loading.query("select user_email from warehouse.dim_user where user_id = 'u'"))[0]?.user_email;
  const users = (day: string, user_email: string | null) => ({ user_id: 'u', user_email, date: day });
  const tokens = (day: string, user_email: string | null) => ({
    date: day,
    by_user: [{ user_id: 'u', user_email, billable_tokens: 1, by_model: [] }],
  });

  it('is that of the latest day that has one, whatever is loaded first', async () => {
    const [first, second, third] = [sampleDay, addDays(sampleDay, 1), addDays(sampleDay, 2)];
    await loading.load('users', [users(second, 'second@x.io')], { day: second });
    await loading.load('users', [users(first, 'first@x.io')], { day: first });
    expect(await email()).toBe('second@x.io');
    await loading.load('users', [users(third, null)], { day: third });
    expect(await email()).toBe('second@x.io');
    await loading.load('users', [users(third, 'third@x.io')], { day: third });
    expect(await email()).toBe('third@x.io');
    await loading.load('users', [users(third, 'restated@x.io')], { day: third });
    expect(await email()).toBe('restated@x.io');
    await loading.load('users', [users(third, null)], { day: third });
    expect(await email()).toBe('restated@x.io');
  });

  it('is on one day what /users says, in whatever order runs load the endpoints', async () => {
    const { pool, orgKey, signal } = loading.context;
    const nextRun = () => ({ changes: { keys: openDimensionKeys(pool, orgKey, signal) } });
    await loading.load('tokens', [tokens(sampleDay, 'other@x.io')], nextRun());
    expect(await email()).toBe('other@x.io');
    await loading.load('users', [users(sampleDay, 'same@x.io')], nextRun());
    await loading.load('tokens', [tokens(sampleDay, 'restated@x.io')], nextRun());
    expect(await email()).toBe('same@x.io');
  });

  it('is the latest also where one list holds several days of a new user, in any order', async () => {
    const { pool, orgKey, signal } = loading.context;
    const report = (usageDate: Day, value: string) => ({
      names: new Map([[user, ['u', 'v']]]),
      observed: new Map([[userEmail, [value]]]),
      usageDate,
    });
    const [first, second] = [report(sampleDay, 'first@x.io'), report(addDays(sampleDay, 1), 'second@x.io')];
    for (const batches of [
      [first, second],
      [second, first],
    ]) {
      await loading.query("delete from warehouse.dim_user where user_id in ('u', 'v')");
      await openDimensionKeys(pool, orgKey, signal).resolve('users', batches);
      expect(await email()).toBe('second@x.io');
    }
    expect(
      await loading.query(`select user_email, user_email_date::text, user_email_endpoint
        from warehouse.dim_user order by user_id`),
    ).toEqual([
      { user_email: 'second@x.io', user_email_date: addDays(sampleDay, 1), user_email_endpoint: 'users' },
      { user_email: null, user_email_date: null, user_email_endpoint: null },
    ]);
  });

  it('follows the latest day of known users also while more names come than are remembered', async () => {
    const { pool, orgKey, signal } = loading.context;
    const keys = openDimensionKeys(pool, orgKey, signal);
    const batchOf = (names: readonly string[], usageDate: Day, host: string) => ({
      names: new Map([[user, names]]),
      observed: new Map([[userEmail, names.map((name) => `${name}@${host}`)]]),
      usageDate,
    });
    await keys.resolve('users', [batchOf(['u'], sampleDay, 'old.io')]);
    const crowd = Array.from({ length: 250_001 }, (_, index) => `new ${index}`);
    await keys.resolve('users', [batchOf(['u', ...crowd], addDays(sampleDay, 1), 'new.io')]);
    expect(await email()).toBe('u@new.io');
    // By now all that was known is forgotten: the table alone says what is the latest.
    await keys.resolve('users', [batchOf(['u'], sampleDay, 'older.io')]);
    expect(await email()).toBe('u@new.io');
    await keys.resolve('users', [batchOf(['u'], addDays(sampleDay, 2), 'newest.io')]);
    expect(await email()).toBe('u@newest.io');
  });
});
