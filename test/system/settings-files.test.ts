import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Installation, install } from '../support/installation.ts';

const loads = 'backfill --from 2026-01-14 --to 2026-01-14';

describe('files of settings', () => {
  let installation: Installation;
  let folder: string;

  beforeAll(async () => {
    installation = await install({ users: 5 });
    folder = await mkdtemp(join(tmpdir(), 'usage-etl-settings-'));
    execFileSync('mkfifo', [join(folder, 'fifo')]);
    await mkdir(join(folder, 'directory'));
    await symlink('loop', join(folder, 'loop'));
    await symlink('/dev/zero', join(folder, 'endless'));
    await writeFile(join(folder, 'huge'), 'k'.repeat(64 * 1024 + 1));
    await writeFile(join(folder, 'empty'), '\n');
    await writeFile(join(folder, 'words'), 'no address at all');
    await writeFile(join(folder, 'key'), `${installation.environment.API_KEY}\n`);
    await writeFile(join(folder, 'url'), `\n  ${installation.environment.DATABASE_URL} \n`);
  });

  afterAll(async () => {
    await installation[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  /** Exit code 2 and one sentence, which does not tell the name of the file. */
  async function expectRefused(environment: Record<string, string>, sentence: RegExp): Promise<void> {
    const { code, stdout, stderr } = await installation.run(loads, environment);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(sentence);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(stderr).not.toContain(folder);
    expect(installation.simulator.requests).toEqual([]);
  }

  describe.each([
    ['API_KEY', 'API_KEY_FILE'],
    ['DATABASE_URL', 'DATABASE_URL_FILE'],
  ])('for %s', (variable, fileVariable) => {
    test.each([
      ['fifo', 'is no regular file'],
      ['directory', 'is no regular file'],
      ['endless', 'is no regular file'],
      ['huge', 'is larger than 64 KiB'],
      ['loop', 'cannot be read \\(ELOOP\\)'],
      ['missing', 'cannot be read \\(ENOENT\\)'],
    ])('%s is refused at once, by the name of the variable', async (name, reason) => {
      await expectRefused(
        { [variable]: '', [fileVariable]: join(folder, name) },
        new RegExp(`^usage-etl: ${fileVariable}: the file that it names ${reason}\n$`),
      );
    });

    test('a file of the system without an end is refused', async () => {
      const pages = '/proc/self/pagemap';
      await expectRefused({ [variable]: '', [fileVariable]: pages }, /is larger than 64 KiB|cannot be read/);
    });

    test('an empty file, and a file beside the variable itself, are refused', async () => {
      await expectRefused(
        { [variable]: '', [fileVariable]: join(folder, 'empty') },
        new RegExp(`^usage-etl: ${fileVariable}: expected`),
      );
      await expectRefused(
        { [fileVariable]: join(folder, 'empty') },
        new RegExp(`^usage-etl: ${variable}, ${fileVariable}: both are set`),
      );
    });
  });

  test('an address that is none is named by the variable of its file', async () => {
    await expectRefused(
      { DATABASE_URL: '', DATABASE_URL_FILE: join(folder, 'words') },
      /^usage-etl: DATABASE_URL_FILE: expected a URL/,
    );
  });

  test.each([
    ['fifo', 'is no regular file'],
    ['directory', 'is no regular file'],
    ['huge', 'is larger than 64 KiB'],
    ['loop', 'cannot be read'],
  ])('.env that is a %s is refused', async (name, reason) => {
    const place = await mkdtemp(join(folder, 'place-'));
    await symlink(join(folder, name), join(place, '.env'));
    const { code, stderr } = await installation.runIn(place, loads);
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(new RegExp(`^usage-etl: \\.env: in the working directory, ${reason}`)),
    });
  });

  test('.env is read, and a variable of the environment wins over it', async () => {
    const place = await mkdtemp(join(folder, 'place-'));
    await writeFile(join(place, '.env'), 'PAGE_SIZE=many\nLOG_LEVEL=loud\n');
    const { code, stderr } = await installation.runIn(place, loads, { LOG_LEVEL: 'info' });
    expect(code).toBe(2);
    expect(stderr).toBe('usage-etl: PAGE_SIZE: expected a whole number from 1 to 100, got "many"\n');
  });

  test('key and address may both stand in files', async () => {
    const { code } = await installation.load(loads, {
      API_KEY: '',
      API_KEY_FILE: join(folder, 'key'),
      DATABASE_URL: '',
      DATABASE_URL_FILE: join(folder, 'url'),
    });
    expect(code).toBe(0);
  });
});

test('schedule reads the files anew for each night, so that a new key needs no restart', async () => {
  await using installation = await install({ users: 5 });
  const file = join(tmpdir(), `usage-etl-rotated-${process.pid}`);
  await writeFile(file, 'an-old-key-that-is-refused');
  try {
    const schedule = installation.start('schedule', {
      CRON_SCHEDULE: '* * * * * *',
      LOOKBACK_DAYS: '0',
      API_KEY: '',
      API_KEY_FILE: file,
    });
    await schedule.says('does not accept this API key');
    await writeFile(file, installation.environment.API_KEY ?? '');
    await schedule.says('"status":"succeeded"');
    await rm(file);
    await schedule.says('API_KEY_FILE: the file that it names cannot be read');
    schedule.process.kill('SIGTERM');
    expect((await schedule.ended).code).toBe(0);
  } finally {
    await rm(file, { force: true });
  }
});
