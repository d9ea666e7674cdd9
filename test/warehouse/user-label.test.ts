import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

it.each([
  ['ann@corp.example', 'a***@corp.example'],
  ['é.zola@corp.example', 'é***@corp.example'],
  ['an@x', 'a***@x'],
  // A single letter would be all of the name.
  ['a@corp.example', '***@corp.example'],
  ['"ann@home"@corp.example', '"***@corp.example'],
  ['a@@x', 'a***@x'],
  ['@@x', '***@x'],
  ['@corp.example', '***@corp.example'],
  ['two\nlines@corp\n.example', 't***@corp\n.example'],
  ['ann@', 'user_1'],
  ['ann@corp@', 'user_1'],
  ['ann', 'user_1'],
  ['', 'user_1'],
  [null, 'user_1'],
])('a user is shown by letter and domain, or by id: %j', async (email, label) => {
  const { rows } = await database.pool.query("select warehouse.user_label($1, 'user_1') as label", [email]);
  expect(rows).toEqual([{ label }]);
});
