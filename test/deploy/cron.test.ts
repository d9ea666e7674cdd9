import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/model/clock.ts';
import { addDays, yesterday } from '../../src/model/day.ts';
import { type Installation, install } from '../support/installation.ts';
import { programFile } from '../support/program.ts';

interface CronLine {
  readonly times: string;
  readonly user: string;
  readonly command: string;
}

const lines = readFileSync('deploy/cron/usage-etl', 'utf8')
  .split('\n')
  .flatMap((line): CronLine[] => {
    const [, times, user, command] = /^(\d\S*(?: \S+){4})\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    return times !== undefined && user !== undefined && command !== undefined
      ? [{ times, user, command }]
      : [];
  });

/** A machine with the program and `logger` in its PATH, and with settings where the crontab looks for them. */
function machineOf(installation: Installation): (line: CronLine | undefined) => Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'usage-etl-cron-'));
  const put = (name: string, script: string) => {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  };
  put('usage-etl', `exec "${process.execPath}" "${programFile}" "$@"`);
  put('logger', `cat >> "${folder}/journal"`);
  writeFileSync(
    join(folder, '.env'),
    // Yesterday is missed at any time of the day.
    Object.entries({ ...installation.environment, STATUS_GRACE_HOURS: '0' })
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  );
  return async (line) => {
    const command = (line?.command ?? '').replaceAll(/\/(etc|var\/lib)\/usage-etl/g, folder);
    // What cron gives to a job is all that it has.
    const environment = { PATH: `${folder}:/usr/local/bin:/usr/bin:/bin`, HOME: folder };
    const child = spawn('/bin/sh', ['-c', command], {
      env: environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [mailed] = await Promise.all([text(child.stdout), once(child, 'close')]);
    return mailed;
  };
}

test('cron mails nothing about a good night, and what is missing about a bad one', async () => {
  const last = yesterday(systemClock);
  await using installation = await install({ users: 5 });
  const run = machineOf(installation);
  expect(lines.map(({ times, user }) => [times, user])).toEqual([
    ['15 2 * * *', 'usage-etl'],
    ['15 8 * * *', 'usage-etl'],
  ]);
  const [night, check] = lines;
  expect(
    (await installation.run(`backfill --from ${addDays(last, -3)} --to ${addDays(last, -1)}`)).code,
  ).toBe(0);
  expect(await run(check)).toMatch(/missing|gap/);
  expect(await run(night)).toBe('');
  expect(await run(check)).toBe('');
  await installation.database.pool.query(
    "update etl.slice set status = 'failed', error = 'the platform answered 500' where endpoint = 'tools' and usage_date = (select max(usage_date) from etl.slice)",
  );
  expect(await run(check)).toContain('tools');
});
