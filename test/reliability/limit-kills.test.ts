import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { emailKey } from '../../src/model/email.ts';
import type { Fault } from '../../src/simulator/faults.ts';
import { RandomStream } from '../../src/simulator/random.ts';
import { type Applied, appliedOf, installLimits, type LimitsInstallation } from '../support/limits.ts';
import type { Ended } from '../support/program.ts';
import { expectNoLockLeft, runsByStatus } from './database-condition.ts';
import { randomTest } from './random-test.ts';

const kills = randomTest('USAGE_ETL_LIMIT_KILLS', {
  file: 'limit-kills',
  count: 10,
  seed: 1,
  timeoutMs: 300_000,
});
const users = 1_000;
const unknownUsers = 37;
/** From the start of the program until well after it has ended. */
const longestDelayMs = 1_500;
/** One in so many kills comes at a moment of the clock instead of a request: start-up is hit, too. */
const byClock = 4;
/** All users, a hundred each, and some that are sent again. */
const mostRequests = 12;

/** What the platform does with the request at which the program is killed, or with another one. */
const troubles: readonly (Fault | undefined)[] = [
  undefined,
  // Lost before anything was done.
  { kind: 'hang' },
  // Done, and the answer is lost.
  { kind: 'truncate' },
  { kind: 'delay', ms: 50 },
];

const emails = Array.from({ length: users }, (_, user) =>
  user % 27 === 5 ? `nobody${user}@example.com` : `User.${user}@example.com`,
);

test(`${kills.count} kills at random moments leave no doubt about ${users} limits`, {
  timeout: kills.timeoutMs,
}, async ({ onTestFailed }) => {
  onTestFailed(kills.tellHowToRepeat);
  expect(emails.filter((email) => email.startsWith('nobody'))).toHaveLength(unknownUsers);
  const random = new RandomStream(kills.seed);
  let sinceStart = 0;
  let atRequest: (request: number) => Fault | undefined = () => undefined;
  await using installation = await installLimits({
    limitsFault: () => {
      sinceStart += 1;
      return atRequest(sinceStart);
    },
  });
  let [killed, survived, rounds] = [0, 0, 0];

  async function runOnce(file: string, withKill: boolean): Promise<Ended> {
    sinceStart = 0;
    atRequest = () => undefined;
    const confirmed = await confirmedBefore(installation, file);
    const askedBefore = installation.asked().length;
    const { process: child, ended } = installation.start(`limits apply ${file} --yes --json`);
    const stop = new AbortController();
    if (withKill && random.between(1, byClock) === 1) {
      const wait = delay(random.between(0, longestDelayMs), undefined, { signal: stop.signal });
      wait.then(() => child.kill('SIGKILL')).catch(() => undefined);
    } else if (withKill) {
      const [fatal, failing] = [random.between(1, mostRequests), random.between(1, mostRequests)];
      const trouble = troubles[random.between(0, troubles.length - 1)];
      // A little after the request, so that the statements that follow it are hit as well.
      const afterMs = random.between(0, 30);
      atRequest = (request) => {
        if (request === failing) return { kind: 'status', status: 500 };
        if (request !== fatal) return undefined;
        setTimeout(() => child.kill('SIGKILL'), afterMs);
        return trouble;
      };
    }
    const end = await ended;
    stop.abort();
    const asked = installation.asked().slice(askedBefore).flat();
    expect(asked.filter(({ email }) => confirmed.has(emailKey(email)))).toEqual([]);
    return end;
  }

  while (killed < kills.count) {
    rounds += 1;
    const limit = 1_000_000 + rounds;
    const file = await installation.fileOf(emails.map((email) => `${email},${limit}`));
    limitOfFile.set(file, limit);
    let whole = false;
    while (!whole && killed < kills.count) {
      const { code, stderr } = await runOnce(file, true);
      // One that meets the locks of a connection whose end the server has not noticed yet says so.
      if (code === null) killed += 1;
      else expect(code, stderr).toBeOneOf([1, 4]);
      whole = code === 1;
      survived += whole ? 1 : 0;
    }
    await expectNoLockLeft(installation.database.pool);
    const { code, stdout, stderr } = await runOnce(file, false);
    expect(code, stderr).toBe(1);
    await expectAgreement(installation, limit, appliedOf(JSON.parse(stdout)));
    await expectNoLockLeft(installation.database.pool);
  }
  const { running } = await runsByStatus(installation.database.pool);
  expect(running).toBeUndefined();
  console.log(
    `${killed} kills in ${rounds} rounds (${survived} runs ended before their kill), ` +
      `${installation.asked().length} requests; platform, audit and report agree (seed ${kills.seed})`,
  );
});

const limitOfFile = new Map<string, number>();

/** Who has the limit of a file by the audit already. */
async function confirmedBefore({ database }: LimitsInstallation, file: string): Promise<Set<string>> {
  const { rows } = await database.pool.query<{ email: string }>(
    `select user_email as email from etl.credit_limit_change where outcome = 'updated' and confirmed_limit = $1`,
    [limitOfFile.get(file)],
  );
  return new Set(rows.map(({ email }) => emailKey(email)));
}

/** The platform, the audit, the table of what is known and the last report say the same of everybody. */
async function expectAgreement(
  { limits, database, known }: LimitsInstallation,
  limit: number,
  report: Applied,
): Promise<void> {
  const there = emails.filter((email) => !email.startsWith('nobody'));
  const wanted = Object.fromEntries(there.map((email) => [email, limit]));
  expect(Object.fromEntries(there.map((email) => [email, limits.limitOf(email)]))).toEqual(wanted);
  expect(await known()).toEqual(wanted);
  const { rows } = await database.pool.query<{
    email: string;
    updated: number;
    unknown: number;
    errors: number;
  }>(
    `select user_email as email,
      count(*) filter (where outcome = 'updated')::integer as updated,
      count(*) filter (where outcome = 'unknown')::integer as unknown,
      count(*) filter (where outcome = 'error')::integer as errors
    from etl.credit_limit_change where requested_limit = $1 group by 1`,
    [limit],
  );
  expect(new Map(rows.map((row) => [row.email, row]))).toEqual(
    new Map(
      emails.map((email) => [
        email,
        email.startsWith('nobody')
          ? { email, updated: 0, unknown: 0, errors: expect.any(Number) }
          : { email, updated: 1, unknown: 0, errors: 0 },
      ]),
    ),
  );
  const { changes } = report;
  expect(changes.filter(({ outcome }) => outcome === 'error').map(({ email }) => email)).toEqual(
    expect.arrayContaining(emails.filter((email) => email.startsWith('nobody'))),
  );
  for (const { email, outcome, confirmed_limit } of changes)
    expect({ email, outcome, confirmed_limit }).toEqual(
      email.startsWith('nobody')
        ? { email, outcome: 'error', confirmed_limit: null }
        : { email, outcome: 'updated', confirmed_limit: limit },
    );
}
