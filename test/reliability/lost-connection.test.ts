import { expect, test } from 'vitest';
import { explain } from '../../src/model/errors.ts';
import { commandInProcess, loadInProcess } from '../support/commands-in-process.ts';
import { startCuttingProxy } from '../support/cutting-proxy.ts';
import { install } from '../support/installation.ts';

const range = '--from 2026-01-14 --to 2026-01-14';

// An error that nobody hears of would end the process, and with it these tests.
test.each([
  ['status', 1],
  ['migrate', 1],
  ['maintenance', 1],
  [`verify ${range}`, 5],
  [`replay ${range}`, 5],
])(
  'wherever a connection of %s breaks, it ends with a result, or says that it was the database, which, and what to do',
  async (command, stride) => {
    await using installation = await install({ users: 5 });
    expect((await loadInProcess(installation, `backfill ${range}`)).code).toBe(0);
    const proxy = await startCuttingProxy(installation.database.url);
    const { host, pathname, password } = new URL(proxy.url);
    const told = new Set<string>();
    let [cutAt, ended] = [1, 0];
    try {
      for (let cuts = -1; cuts < proxy.cuts; cutAt += stride) {
        cuts = proxy.cuts;
        proxy.cutAtSend(cutAt);
        const outcome = await commandInProcess(installation, command, {
          environment: { DATABASE_URL: proxy.url },
        }).catch((error: unknown) => error);
        if (outcome instanceof Error) told.add(explain(outcome));
        else expect(outcome).toMatchObject({ code: expect.any(Number) });
        ended += 1;
      }
    } finally {
      await proxy.close();
    }
    expect(ended).toBeGreaterThan(5);
    expect(told.size).toBeGreaterThan(0);
    for (const sentence of told) {
      expect(sentence).toMatch(
        /^(?:DATABASE_URL: the database cannot be reached now: |the connection to the database |the database c)/,
      );
      expect(sentence).toContain(`${host}${pathname}`);
      expect(sentence).not.toContain(password);
    }
    expect((await commandInProcess(installation, command)).code).toBe(0);
  },
  120_000,
);
