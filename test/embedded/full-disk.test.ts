/** `DATA_DIR` on a disk that is full: no server stays, and the sentence says what to do. */
import { statfsSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startEmbeddedPostgres } from '../../src/embedded/embedded-postgres.ts';
import { roomProblem } from '../../src/embedded/no-room.ts';
import { checkRoom } from '../../src/pipeline/doctor/check-room.ts';
import { programFile, startProgram } from '../support/program.ts';
import { serversOf } from '../support/server-processes.ts';
import { canMountDisks, mountSmallDisk } from '../support/small-disk.ts';
import { seenInEachWay } from '../support/ways-to-see.ts';

describe.skipIf(!canMountDisks())('on a small disk', () => {
  const sentence =
    /DATA_DIR: the disk of the embedded Postgres is full: \S+ has \d+ MiB left, and an empty warehouse needs 128 MiB; make room there, then run the command again; another directory in DATA_DIR, or DATABASE_URL, means another warehouse: it is empty, and what is loaded here stays behind/;

  test.each([
    [20, 'makes a cluster'],
    [42, 'migrates the database'],
  ])('of %i MiB, a command that %s leaves no server, and names DATA_DIR', async (size) => {
    using disk = mountSmallDisk(size);
    const environment = { DATA_DIR: join(disk.directory, 'data') };
    const { code, stderr } = await startProgram(programFile, ['status'], environment).ended;
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(sentence) });
    expect(await serversOf(disk.directory)).toEqual([]);
  });

  test('of 40 MiB, a command that makes the database says so to every reader, and leaves no server', async () => {
    using disk = mountSmallDisk(40);
    const directory = join(disk.directory, 'data');
    const empty = () => rm(directory, { recursive: true, force: true });
    for (const { way, code, text, json } of await seenInEachWay('status', { DATA_DIR: directory }, empty)) {
      expect({ way, code }).toEqual({ way, code: 1 });
      expect(json === undefined ? text : json.error, way).toMatch(sentence);
      expect(await serversOf(disk.directory), way).toEqual([]);
    }
  });

  test('a server is stopped although its disk has no room for the lock of that', async () => {
    using disk = mountSmallDisk(80);
    const server = await startEmbeddedPostgres({ directory: join(disk.directory, 'data') });
    const { bavail, bsize } = statfsSync(disk.directory);
    writeFileSync(join(disk.directory, 'other'), Buffer.alloc(bavail * bsize));
    expect(() => writeFileSync(join(disk.directory, 'more'), 'more')).toThrow('ENOSPC');
    await server.stop();
    expect(await serversOf(disk.directory)).toEqual([]);
  });

  test('doctor says in MiB what is left and what is needed, and that another directory is another warehouse', async () => {
    using disk = mountSmallDisk(40);
    const found = {
      status: 'failed',
      detail: expect.stringMatching(/ has \d\d MiB of room, and .* needs 128 MiB$/),
    };
    const moved = expect.stringContaining('what is loaded here stays behind');
    expect(await checkRoom(disk.directory, true)).toMatchObject({ ...found, next: moved });
    expect(await checkRoom(disk.directory, false)).toMatchObject({
      ...found,
      next: expect.not.stringMatching(/behind/),
    });
  });

  test('a lost server is explained by a disk without room for its next log file, and not by one with room', async () => {
    using disk = mountSmallDisk(40);
    const lost = new Error('Connection terminated unexpectedly');
    expect(await roomProblem(lost, disk.directory, true)).toBe(lost);
    const { bavail, bsize } = statfsSync(disk.directory);
    writeFileSync(join(disk.directory, 'other'), Buffer.alloc(bavail * bsize - 1024 ** 2));
    expect(String(await roomProblem(lost, disk.directory, true))).toContain('has 1 MiB left');
    expect(await roomProblem(lost, disk.directory)).toBe(lost);
  });
});
