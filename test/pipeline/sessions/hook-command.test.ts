/** The command of the hook in real shells, with what agents and disks may do to it. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hookCommand } from '../../../src/pipeline/sessions/hook-command.ts';
import { isSessionId } from '../../../src/pipeline/sessions/registered-sessions.ts';
import { emptySpool, readSpool } from '../../../src/pipeline/sessions/spool.ts';

let home: string;
let spool: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'usage-etl-hook-'));
  await chmod(home, 0o755);
  spool = join(home, 'spool');
});
afterEach(() => rm(home, { recursive: true, force: true }));

const documented = (id: string) =>
  `${JSON.stringify({ hook_event_name: 'SessionEnd', session_id: id, cwd: '/src', reason: 'other' })}\n`;

/** Runs the command as an agent does, in a shell; resolves to its exit code and to what it said. */
async function hook(
  input: string | Buffer,
  { directory = spool, shell = 'sh', before = '', uid }: Partial<Run> = {},
): Promise<{ code: number | null; said: string }> {
  const child = spawn(shell, ['-c', `${before}${hookCommand(directory)}`], {
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  // An agent that is told that nobody reads its input might take that for a failure.
  let refused = false;
  child.stdin.on('error', () => {
    refused = true;
  });
  child.stdin.end(input);
  await once(child, 'close');
  expect(refused).toBe(false);
  return { code: child.exitCode, said };
}

interface Run {
  readonly directory: string;
  readonly shell: string;
  /** Lines in front of the command. */
  readonly before: string;
  readonly uid: number;
}

const silently = { code: 0, said: '' };
const spooledIds = async (directory = spool) =>
  (await readSpool(directory, isSessionId)).ends.map(({ id }) => id).sort();
/** Everything that lies there, hidden files included. */
const filesIn = async (directory = spool) => (existsSync(directory) ? await readdir(directory) : []);

const shells = ['sh', 'dash', 'bash', 'ash', 'ksh', 'zsh', 'busybox'].filter((shell) => {
  try {
    execFileSync(shell, ['-c', 'exit 0'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
});

describe.each(shells)('in %s', (shell) => {
  test('the documented input leaves a file with the id, and nothing else of it', async () => {
    expect(await hook(documented('session_1'), { shell })).toEqual(silently);
    expect(await spooledIds()).toEqual(['session_1']);
    const [file = ''] = await filesIn();
    expect(execFileSync('cat', [join(spool, file)], { encoding: 'utf8' })).toBe('"session_1"\n');
  });

  test('what is no documented input leaves nothing', async () => {
    for (const input of [
      '',
      'no json',
      '{',
      '{"session_id": 7}',
      '{"session_id": null}',
      '{"session_id": "cut o',
      '{"other_session_id": "a"}',
      '["session_id"]',
      '{"cwd": "a, \\"session_id\\": \\"b\\""}',
      '{"cwd": "/session_id"}',
      Buffer.from([0xff, 0xfe, 0x00, 0x22, 0x0a]),
      '"'.repeat(60_000),
      `{"session_id":"${'\\'.repeat(60_001)}`,
    ])
      expect(await hook(input, { shell }), String(input).slice(0, 50)).toEqual(silently);
    expect(await filesIn()).toEqual([]);
  });
});

test('the id is found in JSON of any writing, whatever it holds', async () => {
  const odd = 'a/b "c" \\ é 🙂 $(touch x) `y` \' % \\1';
  for (const input of [
    documented(odd),
    JSON.stringify({ cwd: 'x, "session_id": "wrong"', session_id: 'pretty' }, null, 2),
    '{"session_id"\t:\r\n"spaced"}',
    '{"session_id":"\\u0077ritten"}',
    `{"reason":"${'x'.repeat(50_000)}","session_id":"late"}`,
  ])
    expect(await hook(input)).toEqual(silently);
  expect(await spooledIds()).toEqual([odd, 'late', 'pretty', 'spaced', 'written'].sort());
});

test('input of any length is read to its end', async () => {
  const long = documented('session_1')
    .trimEnd()
    .replace(/\}$/, `,"more":"${'x'.repeat(3_000_000)}"}`);
  expect(await hook(long)).toEqual(silently);
  expect(await spooledIds()).toEqual(['session_1']);
});

test('100 sessions that end at once leave 100 ids', async () => {
  const ids = Array.from({ length: 100 }, (_, index) => `session_${String(index).padStart(3, '0')}`);
  expect(await Promise.all(ids.map((id) => hook(documented(id))))).toEqual(ids.map(() => silently));
  expect(await spooledIds()).toEqual(ids);
  expect(await filesIn()).toHaveLength(100);
});

test('a folder that does not exist yet is made, whatever its name', async () => {
  const directory = join(home, "it's a $HOME; `folder`", 'below');
  expect(await hook(documented('session_1'), { directory })).toEqual(silently);
  expect(await spooledIds(directory)).toEqual(['session_1']);
});

test('a place where nothing can be written is no failure of the hook', async () => {
  const file = join(home, 'file');
  await writeFile(file, '');
  await symlink(join(home, 'nowhere', 'at all'), join(home, 'link'));
  for (const directory of [file, join(file, 'below'), '/dev/null/x', join(home, 'link')])
    expect(await hook(documented('session_1'), { directory })).toEqual(silently);
});

test('a folder that may only be read stays as it is', async () => {
  await mkdir(spool, { mode: 0o555 });
  await chmod(spool, 0o555);
  // The rights of root are not asked for.
  const run = process.getuid?.() === 0 ? { uid: 65_534 } : {};
  expect(await hook(documented('session_1'), run)).toEqual(silently);
  expect(await filesIn()).toEqual([]);
});

test('a file that has no room is no id: it never gets its final name', async () => {
  // As on a full disk, writing fails, after the file was made.
  const before = "trap '' XFSZ; ulimit -f 0\n";
  for (const shell of shells)
    expect(await hook(documented('session_1'), { before, shell })).toEqual(silently);
  expect(await filesIn()).toEqual([]);
});

test.skipIf(!canMount())(
  'a disk that is full loses no id that was there, and takes new ones when it has room',
  async () => {
    await mkdir(spool);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', spool]);
    try {
      expect(await hook(documented('before'))).toEqual(silently);
      execFileSync('sh', ['-c', `cat /dev/zero >'${spool}/.filling' 2>/dev/null; true`]);
      for (const shell of shells) expect(await hook(documented('without-room'), { shell })).toEqual(silently);
      expect(await spooledIds()).toEqual(['before']);
      expect((await filesIn()).filter((name) => name.endsWith('.new'))).toEqual([]);
      await rm(join(spool, '.filling'));
      expect(await hook(documented('after'))).toEqual(silently);
      expect(await spooledIds()).toEqual(['after', 'before']);
    } finally {
      execFileSync('umount', [spool]);
    }
  },
);

describe('a spool', () => {
  test('that is not there is empty', async () => {
    expect(await readSpool(spool, isSessionId)).toEqual({
      ends: [],
      files: [],
      unreadable: [],
      unusable: [],
    });
  });

  test('gives up files that hold no id, once, and leaves those of others alone', async () => {
    await mkdir(spool);
    for (const [name, text] of Object.entries({
      'a.session': '',
      'b.session': '"cut',
      'c.session': '".."',
      'd.txt': '"d"',
    }))
      await writeFile(join(spool, name), text);
    await mkdir(join(spool, 'e.session'));
    const { ends, unreadable } = await readSpool(spool, isSessionId);
    expect([ends, [...unreadable].sort()]).toEqual([[], ['a.session', 'b.session', 'c.session']]);
    expect((await readSpool(spool, isSessionId)).unreadable).toEqual([]);
    expect(await filesIn()).toContain('d.txt');
  });

  test('opens no link, waits for no pipe, and reads no file that is too large', async () => {
    await mkdir(spool);
    await writeFile(join(home, 'elsewhere'), '"elsewhere"');
    await symlink(join(home, 'elsewhere'), join(spool, 'link.session'));
    for (const file of ['/proc/kmsg', '/proc/self/pagemap', '/dev/zero'])
      await symlink(file, join(spool, `${file.split('/').at(-1)}.session`));
    execFileSync('mkfifo', [join(spool, 'pipe.session')]);
    await symlink(join(spool, 'pipe.session'), join(spool, 'to-pipe.session'));
    await writeFile(join(spool, 'large.session'), `"${'l'.repeat(1024 * 1024)}"`);
    await writeFile(join(spool, 'z.session'), '"z"');
    const { ends, unreadable, unusable } = await readSpool(spool, isSessionId);
    expect(ends.map(({ id }) => id)).toEqual(['z']);
    expect(unreadable).toEqual(['large.session']);
    const left = ['kmsg', 'link', 'pagemap', 'pipe', 'to-pipe', 'zero'].map((name) => `${name}.session`);
    expect([...unusable].sort()).toEqual(left);
    expect(await filesIn()).toEqual(expect.arrayContaining(left));
  });

  test('says when a session ended, is emptied file by file, and loses what a hook left behind a day ago', async () => {
    await mkdir(spool);
    for (const name of ['a.session', '.b.new', '.c.new']) await writeFile(join(spool, name), '"a"');
    const before = new Date('2026-03-09T12:00:00Z');
    for (const name of ['a.session', '.b.new']) await utimes(join(spool, name), before, before);
    const { ends, files } = await readSpool(spool, isSessionId);
    expect(ends).toEqual([{ id: 'a', endedAt: before }]);
    expect(await emptySpool(files)).toEqual([]);
    expect(await filesIn()).toEqual(['.c.new']);
  });
});

function canMount(): boolean {
  if (process.getuid?.() !== 0) return false;
  const probe = execFileSync('mktemp', ['-d'], { encoding: 'utf8' }).trim();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', probe], { stdio: 'ignore' });
    execFileSync('umount', [probe]);
    return true;
  } catch {
    return false;
  } finally {
    execFileSync('rmdir', [probe]);
  }
}
