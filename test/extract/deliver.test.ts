import { expect, test } from 'vitest';
import { deliver } from '../../src/extract/deliver.ts';
import { startAnsweringServer } from '../support/answering-server.ts';

test('whoever has been told to end sends no message any more', async () => {
  const server = await startAnsweringServer((response) => response.end());
  const address = { variable: 'NOTIFY_WEBHOOK_URL', url: server.url };
  expect(await deliver(address, { event: 'night_failed' }, AbortSignal.abort())).toBe('it was given up');
  expect(server.arrivals).toEqual([]);
  await server.close();
});
