import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

it.each([
  ['mail -s done ann@corp.example', 'mail -s done …'],
  ['curl https://a.example/?u=ann%40corp.example&b', 'curl https://a.example/?u=…&b'],
  ['curl -u ann:hunter2 https://a.example', 'curl -u … https://a.example'],
  [`export API_KEY='three words long'`, 'export API_KEY=…'],
  ['run --passphrase abcdefg', 'run --passphrase …'],
  ['AUTH=abcdefg run', 'AUTH=… run'],
  ['npx prettier --write src/a.ts', 'npx prettier --write src/a.ts'],
])('a hook command is shown without e-mails and secrets: %s', async (command, shown) => {
  const { rows } = await database.pool.query('select warehouse.shown_command($1) as shown', [command]);
  expect(rows).toEqual([{ shown }]);
});
