import { describe, expect, test } from 'vitest';
import { limitsAnswer } from '../../src/model/platform/credit-limits.ts';
import { bodyAs, startWholePlatform } from './whole-platform.ts';

const path = '/api/v0/organization/usage/limits/users';
const ada = 'ada.moreau.1@example.com';

test('limits are set and removed, each for itself; who is unknown is told within a 200', async () => {
  await using platform = await startWholePlatform();
  const users = [
    { email: ada, limit: 1_000_000 },
    { email: ada.toUpperCase(), limit: null },
    { email: 'nobody@example.com', limit: 2_000_000 },
  ];
  expect(await platform.send('PUT', path, { users })).toEqual({
    status: 200,
    body: {
      updated: [
        { email: ada, limit: 1_000_000 },
        { email: ada.toUpperCase(), limit: null },
      ],
      errors: [{ email: 'nobody@example.com', error: expect.stringMatching(/\w/) }],
    },
  });
});

describe('refusals', () => {
  const entry = { email: ada, limit: 1_000_000 };
  test.each([
    [{}],
    [{ users: [] }],
    [{ users: Array.from({ length: 101 }, () => entry) }],
    [{ users: [{ ...entry, limit: 999_999 }] }],
    [{ users: [{ ...entry, limit: 1_000_000.5 }] }],
    [{ users: [{ email: ada }] }],
    [{ users: [{ email: '', limit: null }] }],
    [{ users: [entry], note: 'x' }],
    [{ users: [{ ...entry, note: 'x' }] }],
    ['users'],
    [''],
  ])('%j', async (body) => {
    await using platform = await startWholePlatform();
    expect(await platform.send('PUT', path, body)).toEqual({
      status: 400,
      body: { title: 'Bad Request', status: 400, detail: expect.stringMatching(/\w/) },
    });
  });

  test('a body that does not say that it is JSON', async () => {
    await using platform = await startWholePlatform();
    const refused = await platform.send('PUT', path, { users: [entry] }, { 'content-type': 'text/plain' });
    expect(refused.body).toMatchObject({
      detail: 'expected a body of type application/json, got text/plain',
    });
  });

  test('one hundred users are not too many', async () => {
    await using platform = await startWholePlatform();
    const users = Array.from({ length: 100 }, () => entry);
    expect(bodyAs(limitsAnswer, await platform.send('PUT', path, { users })).updated).toHaveLength(100);
  });
});
