import { describe, expect, test } from 'vitest';
import type { Fault } from '../../src/simulator/faults.ts';
import { installLimits } from '../support/limits.ts';

const [ada, bob, eve] = ['ada@example.com', 'Bob@Example.com', 'eve@example.com'];

test('limits are set and removed, recorded, and not sent again when they are as wanted', async () => {
  await using installation = await installLimits();
  const { limits } = installation;
  const first = await installation.apply([`${ada},2000000`, `${bob},3000000`, `${eve},none`]);
  expect(first).toMatchObject({
    code: 0,
    applied: { status: 'succeeded', outcomes: { updated: 3, error: 0, unknown: 0, not_sent: 0 } },
  });
  expect([ada, bob, eve].map((email) => limits.limitOf(email))).toEqual([2_000_000, 3_000_000, undefined]);
  expect(await installation.audit()).toEqual([
    { email: ada, requested: 2_000_000, outcome: 'updated', confirmed: 2_000_000, error: null },
    { email: bob, requested: 3_000_000, outcome: 'updated', confirmed: 3_000_000, error: null },
    { email: eve, requested: null, outcome: 'updated', confirmed: null, error: null },
  ]);
  expect(await installation.known()).toEqual({ [ada]: 2_000_000, [bob]: 3_000_000, [eve]: null });

  const second = await installation.apply([`${ada},2000000`, `${bob.toLowerCase()},4000000`, `${eve},none`]);
  expect(second.applied).toMatchObject({
    plan: { users: 1, already_set: 2, raised: 1, sum_of_change: 1_000_000 },
    changes: [{ old_limit: 3_000_000, old_limit_known: true, new_limit: 4_000_000 }],
  });
  expect(installation.asked()).toHaveLength(2);
  expect(installation.asked()[1]).toEqual([{ email: bob.toLowerCase(), limit: 4_000_000 }]);
  expect(await installation.known()).toEqual({
    [ada]: 2_000_000,
    [bob.toLowerCase()]: 4_000_000,
    [eve]: null,
  });

  const third = await installation.apply([`${ada},2000000`]);
  expect(third).toMatchObject({ code: 0, applied: { changes: [] } });
  expect(installation.asked()).toHaveLength(2);
  const { rows } = await installation.database.pool.query(
    `select job, status, arguments - 'file' as arguments, org_key is not null as is_assigned from etl.run order by run_id`,
  );
  expect(rows).toEqual(
    [3, 3, 1].map((users) => ({
      job: 'limits apply',
      status: 'succeeded',
      arguments: { users },
      is_assigned: true,
    })),
  );
});

test('a hundred users go into a request', async () => {
  await using installation = await installLimits();
  const lines = Array.from({ length: 250 }, (_, user) => `user${user}@example.com,1000000`);
  expect((await installation.apply(lines)).code).toBe(0);
  expect(installation.asked().map(({ length }) => length)).toEqual([100, 100, 50]);
});

test('who is no user is listed with the reason, and asked for again next time; the others are set', async () => {
  await using installation = await installLimits();
  const lines = [`${ada},2000000`, 'nobody@example.com,2000000'];
  const { code, applied } = await installation.apply(lines);
  expect(code).toBe(1);
  expect(applied).toMatchObject({
    status: 'partial',
    outcomes: { updated: 1, error: 1 },
    changes: [
      { email: ada, outcome: 'updated' },
      { email: 'nobody@example.com', outcome: 'error', error: 'no user of the organization has this e-mail' },
    ],
  });
  await installation.apply(lines);
  expect(installation.asked()[1]).toEqual([{ email: 'nobody@example.com', limit: 2_000_000 }]);
  const { rows } = await installation.database.pool.query(
    'select error from etl.run order by run_id limit 1',
  );
  expect(rows).toEqual([{ error: '1 credit limit could not be set, see etl.credit_limit_change' }]);
});

describe('an attempt without an answer', () => {
  test('is unknown, and sent again first by the next run, whatever its file says', async () => {
    let isDown = true;
    await using installation = await installLimits({
      limitsFault: () => (isDown ? { kind: 'reset' } : undefined),
    });
    const first = await installation.apply([`${ada},2000000`, `${bob},2000000`, `${eve},2000000`]);
    expect(first).toMatchObject({ code: 1, applied: { outcomes: { unknown: 3 } } });
    expect(await installation.known()).toEqual({});
    isDown = false;

    // Bob shall have another limit now; of Eve the file says nothing any more.
    const second = await installation.apply(['new@example.com,5000000', `${ada},2000000`, `${bob},3000000`]);
    expect(second).toMatchObject({ code: 0, applied: { plan: { sent_again: 2 } } });
    expect(installation.asked()[1]).toEqual([
      { email: ada, limit: 2_000_000 },
      { email: bob, limit: 3_000_000 },
      { email: eve, limit: 2_000_000 },
      { email: 'new@example.com', limit: 5_000_000 },
    ]);
    expect(await installation.audit()).toMatchObject([
      { email: ada, requested: 2_000_000, outcome: 'updated' },
      {
        email: bob,
        requested: 2_000_000,
        outcome: 'error',
        error: expect.stringMatching(/change \d+ took its place/),
      },
      { email: eve, requested: 2_000_000, outcome: 'updated' },
      { email: bob, requested: 3_000_000, outcome: 'updated' },
      { email: 'new@example.com', outcome: 'updated' },
    ]);
    const { rows } = await installation.database.pool.query(
      `select run_id, answered_in_run_id from etl.credit_limit_change order by change_id`,
    );
    expect(rows.map((row) => `${row.run_id} ${row.answered_in_run_id}`)).toEqual([
      '1 2',
      '1 2',
      '1 2',
      '2 2',
      '2 2',
    ]);
  });

  test('stays unknown while what took its place is refused, so that nothing is taken for set that may not be', async () => {
    let fault: Fault | undefined;
    await using installation = await installLimits({ limitsFault: () => fault });
    await installation.apply([`${ada},1000000`]);
    fault = { kind: 'status', status: 500 };
    await installation.apply([`${ada},2000000`]);
    // It was carried out all the same.
    installation.limits.set({ users: [{ email: ada, limit: 2_000_000 }] });
    fault = {
      kind: 'status',
      status: 200,
      body: { updated: [], errors: [{ email: ada, error: 'too high' }] },
    };
    expect((await installation.apply([`${ada},9000000`])).code).toBe(1);
    expect(await installation.audit()).toMatchObject([
      { outcome: 'updated' },
      { outcome: 'unknown' },
      { outcome: 'error', error: 'too high' },
    ]);
    fault = undefined;
    expect((await installation.apply([`${ada},1000000`])).code).toBe(0);
    expect(installation.limits.limitOf(ada)).toBe(1_000_000);
    expect((await installation.audit()).filter(({ outcome }) => outcome === 'unknown')).toEqual([]);
  });

  test('is repeated within the run as often as MAX_RETRIES says', async () => {
    let failures = 1;
    await using installation = await installLimits({
      limitsFault: () => (failures-- > 0 ? { kind: 'status', status: 500 } : undefined),
    });
    const { code } = await installation.apply([`${ada},2000000`], { MAX_RETRIES: '1' });
    expect(code).toBe(0);
    expect(installation.asked()).toHaveLength(2);
  });

  test('keeps no other request from being sent', async () => {
    await using installation = await installLimits({
      limitsFault: ({ body }) => (body.includes('user150@') ? { kind: 'status', status: 500 } : undefined),
    });
    const lines = Array.from({ length: 300 }, (_, user) => `user${user}@example.com,1000000`);
    const { code, applied } = await installation.apply(lines);
    expect(code).toBe(1);
    expect(applied.outcomes).toMatchObject({ updated: 200, unknown: 100 });
  });
});

describe('a request that is refused', () => {
  const refuse = (body: string) =>
    body.includes('bad')
      ? ({ kind: 'status', status: 400, body: { title: 'Bad', detail: 'bad user', status: 400 } } as const)
      : undefined;

  test('is divided until those stand alone who are refused', async () => {
    await using installation = await installLimits({ limitsFault: ({ body }) => refuse(body) });
    const lines = Array.from({ length: 120 }, (_, user) =>
      [17, 64].includes(user) ? `bad${user}@example.com,1000000` : `user${user}@example.com,1000000`,
    );
    const { code, applied } = await installation.apply(lines);
    expect(code).toBe(1);
    expect(applied.outcomes).toMatchObject({ updated: 118, error: 2 });
    expect(applied.changes.filter(({ outcome }) => outcome === 'error')).toMatchObject(
      [17, 64].map((user) => ({
        email: `bad${user}@example.com`,
        error: 'the platform answered 400 (bad user)',
      })),
    );
    expect(await installation.audit()).toHaveLength(120);
  });

  test('is not divided any more where everybody is refused', async () => {
    await using installation = await installLimits({
      limitsFault: () => ({ kind: 'status', status: 404 }),
    });
    const lines = Array.from({ length: 300 }, (_, user) => `user${user}@example.com,1000000`);
    const { code, applied } = await installation.apply(lines);
    expect(code).toBe(1);
    expect(applied.outcomes).toMatchObject({ error: 300 });
    expect(installation.asked().length).toBeLessThan(205);
  });

  test.each([401, 403])(
    'with %i ends the run with exit code 3; nobody knows of what was sent',
    async (status) => {
      let requests = 0;
      await using installation = await installLimits({
        limitsFault: () => (++requests === 2 ? { kind: 'status', status } : undefined),
      });
      const lines = Array.from({ length: 300 }, (_, user) => `user${user}@example.com,1000000`);
      const { code, applied } = await installation.apply(lines);
      expect(code).toBe(3);
      expect(applied.outcomes).toMatchObject({ updated: 100, unknown: 100, not_sent: 100 });
      const outcomes = (await installation.audit()).map(({ outcome }) => outcome);
      expect(outcomes).toEqual([...Array(100).fill('updated'), ...Array(100).fill('unknown')]);
      expect((await installation.apply(lines)).code).toBe(0);
      expect(
        installation
          .asked()
          .slice(2)
          .map(({ length }) => length),
      ).toEqual([100, 100]);
    },
  );
});

describe('an answer', () => {
  const answering = (updated: unknown, errors: unknown = []) =>
    installLimits({ limitsFault: () => ({ kind: 'mutate', mutate: () => ({ updated, errors }) }) });

  test('may spell an e-mail in another way', async () => {
    await using installation = await answering([{ email: ada.toUpperCase(), limit: 2_000_000 }]);
    expect((await installation.apply([`${ada},2000000`])).code).toBe(0);
    expect(await installation.known()).toEqual({ [ada]: 2_000_000 });
  });

  test('that confirms another limit is recorded as it is, told, and asked for again', async () => {
    await using installation = await answering([{ email: ada, limit: 1_500_000 }]);
    const { code, applied } = await installation.apply([`${ada},2000000`]);
    expect(code).toBe(1);
    expect(applied.outcomes).toMatchObject({ updated: 1, other_limit: 1 });
    expect(await installation.known()).toEqual({ [ada]: 1_500_000 });
    expect(await installation.audit()).toMatchObject([{ outcome: 'updated', confirmed: 1_500_000 }]);
    await installation.apply([`${ada},2000000`]);
    expect(installation.asked()).toHaveLength(2);
  });

  test.each([
    ['leaves somebody out', [], []],
    ['says two things of somebody', [{ email: ada, limit: 2_000_000 }], [{ email: ada, error: 'no' }]],
    [
      'confirms two limits',
      [
        { email: ada, limit: 2_000_000 },
        { email: 'ADA@example.com', limit: null },
      ],
      [],
    ],
    ['has a limit that is none', [{ email: ada, limit: 'all' }], []],
    ['has a limit below zero', [{ email: ada, limit: -1 }], []],
  ])('that %s leaves the outcome unknown', async (_, updated, errors) => {
    await using installation = await answering([...updated, { email: bob, limit: 2_000_000 }], errors);
    const { code, applied } = await installation.apply([`${ada},2000000`, `${bob},2000000`]);
    expect(code).toBe(1);
    expect(applied.changes).toMatchObject([{ outcome: 'unknown' }, { outcome: 'updated' }]);
    expect(await installation.audit()).toMatchObject([{ outcome: 'unknown' }, { outcome: 'updated' }]);
    expect(await installation.known()).toEqual({ [bob]: 2_000_000 });
  });

  test('that says the same twice is believed', async () => {
    const said = { email: ada, limit: 2_000_000 };
    await using installation = await answering([said, said]);
    expect((await installation.apply([`${ada},2000000`])).code).toBe(0);
  });

  test('that names somebody whom nobody asked for is told of, and what it says of them is not stored', async () => {
    await using installation = await answering(
      [{ email: ada, limit: 2_000_000 }, { email: eve, limit: 9_000_000 }, { limit: 1 }],
      [{ email: bob, error: 'no' }],
    );
    const { code, applied } = await installation.apply([`${ada},2000000`]);
    expect(code).toBe(1);
    expect(applied).toMatchObject({ not_asked_for: [eve, bob], unreadable_entries: 1 });
    expect(await installation.known()).toEqual({ [ada]: 2_000_000 });
  });

  test.each([[undefined], [{}], ['x']])('whose list is %j is none', async (updated) => {
    await using installation = await answering(updated);
    const { code, applied } = await installation.apply([`${ada},2000000`]);
    expect(code).toBe(1);
    expect(applied.changes).toMatchObject([{ outcome: 'unknown', error: expect.stringContaining('§4.1') }]);
  });
});
