import { expect, test } from 'vitest';
import { explain } from '../../src/model/errors.ts';
import { commandInProcess } from '../support/commands-in-process.ts';
import { startCuttingProxy } from '../support/cutting-proxy.ts';
import { install } from '../support/installation.ts';

const range = '--from 2026-01-14 --to 2026-01-14';

test.each(['status', 'migrate', 'maintenance'])(
  'wherever a connection of %s breaks, it says that it was the database, which, and what to do',
  async (command) => {
    await using installation = await install({ users: 5 });
    await commandInProcess(installation, `backfill ${range}`);
    const proxy = await startCuttingProxy(installation.database.url);
    const { host, pathname, password } = new URL(proxy.url);
    try {
      const told = new Set<string>();
      let cutAt = 0;
      do {
        cutAt += 1;
        proxy.cutAtSend(cutAt);
        await commandInProcess(installation, command, { environment: { DATABASE_URL: proxy.url } }).catch(
          (error: unknown) => {
            told.add(explain(error));
          },
        );
      } while (proxy.cuts === cutAt);
      expect(told.size).toBeGreaterThan(0);
      for (const sentence of told) {
        expect(sentence).toMatch(
          /^(?:DATABASE_URL: the database cannot be reached now: |the connection to the database |the database c)/,
        );
        expect(sentence).toContain(`${host}${pathname}`);
        expect(sentence).not.toContain(password);
      }
    } finally {
      await proxy.close();
    }
  },
  120_000,
);
