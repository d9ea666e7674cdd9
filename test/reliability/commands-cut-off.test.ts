import { expect, test } from 'vitest';
import { commandInProcess, loadInProcess } from '../support/commands-in-process.ts';
import { startCuttingProxy } from '../support/cutting-proxy.ts';
import { install } from '../support/installation.ts';

const ofRange = '--from 2026-01-14 --to 2026-01-14';

// An error that nobody hears of would end the process, and with it these tests.
test.each([
  ['status', 1],
  ['migrate', 1],
  [`verify ${ofRange}`, 5],
  [`replay ${ofRange}`, 5],
])(
  '%s whose connection breaks at any of its sends ends with a result or a sentence',
  async (command, stride) => {
    await using installation = await install({ users: 5 });
    expect((await loadInProcess(installation, `backfill ${ofRange}`)).code).toBe(0);
    const proxy = await startCuttingProxy(installation.database.url);
    const environment = { DATABASE_URL: proxy.url };
    let [cutAt, ended] = [1, 0];
    try {
      for (let cuts = -1; cuts < proxy.cuts; cutAt += stride) {
        cuts = proxy.cuts;
        proxy.cutAtSend(cutAt);
        const outcome = await commandInProcess(installation, command, { environment }).catch(
          (error: unknown) => error,
        );
        if (outcome instanceof Error) expect(outcome.message).not.toBe('');
        else expect(outcome).toMatchObject({ code: expect.any(Number) });
        ended += 1;
      }
    } finally {
      await proxy.close();
    }
    expect(ended).toBeGreaterThan(5);
    expect((await commandInProcess(installation, command)).code).toBe(0);
  },
);
