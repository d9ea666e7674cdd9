import { execFileSync } from 'node:child_process';
import { chmod, chown, lchown, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Installation, install } from '../support/installation.ts';
import { programFile, startProgram } from '../support/program.ts';

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
      stderr: expect.stringMatching(
        new RegExp(`^usage-etl: \\.env: the file in the working directory ${reason}`),
      ),
    });
  });

  test('.env is read, and a variable of the environment wins over it', async () => {
    const place = await mkdtemp(join(folder, 'place-'));
    await writeFile(join(place, '.env'), 'PAGE_SIZE=many\nLOG_LEVEL=loud\n');
    const { code, stderr } = await installation.runIn(place, loads, { LOG_LEVEL: 'info' });
    expect(code).toBe(2);
    expect(stderr).toBe('usage-etl: PAGE_SIZE: expected a whole number from 1 to 100, got "many"\n');
  });

  describe('.env that somebody else could have written', () => {
    /** A place with a `.env` of this mode and owner. */
    async function placeWith(text: string, mode: number, uid?: number): Promise<string> {
      const place = await mkdtemp(join(folder, 'place-'));
      await writeFile(join(place, '.env'), text);
      await chmod(join(place, '.env'), mode);
      if (uid !== undefined) await chown(join(place, '.env'), uid, uid);
      return place;
    }

    test.each([
      [
        0o666,
        /^usage-etl: \.env: the file in the working directory may be written by others \(mode 0666\); .*chmod go-w \.env\n$/,
      ],
      [0o620, /^usage-etl: \.env: the file in the working directory may be written by others \(mode 0620\)/],
    ])('is refused by its mode: %o', async (mode, sentence) => {
      const place = await placeWith('LOG_LEVEL=info\n', mode);
      const { code, stderr } = await installation.runIn(place, loads);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(sentence) });
      expect(installation.simulator.requests).toEqual([]);
    });

    test.runIf(process.geteuid?.() === 0)('is refused by its owner, behind a link, too', async () => {
      const place = await placeWith('LOG_LEVEL=info\n', 0o600, 65_534);
      const behindLink = await mkdtemp(join(folder, 'place-'));
      await symlink(join(place, '.env'), join(behindLink, '.env'));
      const ofOther = await mkdtemp(join(folder, 'place-'));
      await symlink(join(await placeWith('LOG_LEVEL=info\n', 0o600), '.env'), join(ofOther, '.env'));
      await lchown(join(ofOther, '.env'), 65_534, 65_534);
      const behindBoth = await mkdtemp(join(folder, 'place-'));
      await symlink(join(ofOther, '.env'), join(behindBoth, '.env'));
      // The first link leads through a folder that is itself a link.
      const behindFolder = await mkdtemp(join(folder, 'place-'));
      await symlink(ofOther, join(behindFolder, 'inner'));
      await symlink('inner/.env', join(behindFolder, '.env'));
      for (const each of [place, behindLink, ofOther, behindBoth, behindFolder]) {
        const { code, stderr } = await installation.runIn(each, loads);
        expect({ code, stderr }).toEqual({
          code: 2,
          stderr: expect.stringMatching(
            /^usage-etl: \.env: the file in the working directory belongs to another user \(uid 65534/,
          ),
        });
      }
      expect(installation.simulator.requests).toEqual([]);
    });

    test.each([
      ['APP_BASE_URL', 'API_KEY'],
      ['API_BASE_URL', 'API_KEY'],
      ['APP_BASE_URL', 'API_KEY_FILE'],
    ])('%s in .env gets no %s of the environment', async (host, key) => {
      const place = await placeWith(`${host}=${installation.simulator.url}\n`, 0o600);
      const environment: Record<string, string> = { ...installation.environment };
      if (host === 'API_BASE_URL') delete environment.API_BASE_URL;
      if (key === 'API_KEY_FILE')
        Object.assign(environment, { API_KEY: '', API_KEY_FILE: join(folder, 'key') });
      const { code, stderr } = await startProgram(programFile, loads.split(' '), environment, place).ended;
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: expect.stringMatching(
          new RegExp(`^usage-etl: ${host}: is set in \\.env, but ${key} in the environment; .*\n$`),
        ),
      });
      expect(installation.simulator.requests).toEqual([]);
    });

    test('a host of the environment gets no key that stands there', async () => {
      const { API_KEY, ...others } = installation.environment;
      const place = await placeWith(`API_KEY=${API_KEY}\n`, 0o600);
      const { code, stderr } = await startProgram(programFile, loads.split(' '), others, place).ended;
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: expect.stringMatching(
          /^usage-etl: API_BASE_URL: is set in the environment, but API_KEY in \.env; /,
        ),
      });
      expect(installation.simulator.requests).toEqual([]);
    });

    describe('with the password of the database', () => {
      const url = new URL('postgres://someone:secret@127.0.0.1:1/d');
      const withoutPassword = 'postgres://someone@127.0.0.1:1/d';

      test.each([
        ['DATABASE_URL', 'PGPASSWORD', { DATABASE_URL: withoutPassword }, { PGPASSWORD: 'secret' }],
        ['DATABASE_URL_FILE', 'PGPASSWORD', { DATABASE_URL_FILE: 'url' }, { PGPASSWORD: 'secret' }],
        [
          'PGHOST',
          'PGPASSWORD',
          { PGHOST: '127.0.0.1' },
          { PGPASSWORD: 'secret', DATABASE_URL: 'postgres:///d' },
        ],
        [
          'PGPORT',
          'PGPASSWORD',
          { PGPORT: '1' },
          { PGPASSWORD: 'secret', DATABASE_URL: 'postgres://localhost/d' },
        ],
        [
          'PGHOST',
          'DATABASE_URL',
          { PGHOST: '127.0.0.1' },
          { DATABASE_URL: 'postgres:///d?password=secret' },
        ],
      ])('%s gets no %s of the environment', async (host, secret, there, here) => {
        const lines = Object.entries(there).map(([name, value]) => `${name}=${value}\n`);
        const place = await placeWith(lines.join(''), 0o600);
        await writeFile(join(place, 'url'), withoutPassword);
        const { DATABASE_URL, ...others } = installation.environment;
        const { code, stderr } = await startProgram(programFile, ['status'], { ...others, ...here }, place)
          .ended;
        expect({ code, stderr }).toEqual({
          code: 2,
          stderr: expect.stringMatching(
            new RegExp(`^usage-etl: ${host}: is set in \\.env, but ${secret} in the environment; .*\n$`),
          ),
        });
      });

      test('that an address has by itself, it goes there from wherever both stand', async () => {
        const place = await placeWith(`DATABASE_URL=${url.href}\nPGHOST=elsewhere.invalid\n`, 0o600);
        const { DATABASE_URL, ...others } = installation.environment;
        const environment = { ...others, PGPASSWORD: 'another' };
        const { code, stderr } = await startProgram(programFile, ['status'], environment, place).ended;
        // Nobody listens there.
        expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('ECONNREFUSED') });
      });
    });

    test('key and hosts that stand there together are used', async () => {
      const { API_KEY, API_BASE_URL, ...others } = installation.environment;
      const place = await placeWith(`API_KEY=${API_KEY}\nAPI_BASE_URL=${API_BASE_URL}\n`, 0o600);
      const { code } = await startProgram(programFile, loads.split(' '), others, place).ended;
      expect(code).toBe(0);
    });
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
