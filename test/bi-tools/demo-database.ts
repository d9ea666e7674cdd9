/** The database of a demo, for tools that read the views. */
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { programFile, startProgram } from '../support/program.ts';

/** A demo that is up. */
export interface DemoDatabase {
  /** Its address, for the owner. */
  readonly url: string;
  /** What a file for PGPASSFILE must hold, so that the two groups of readers may log in. */
  readonly passwords: string;
  readonly pool: pg.Pool;
  stop(): Promise<void>;
}

/** Starts a demo of so many users, with logins for those who read `bi`, and `bi_people`. */
export async function startDemo(users: number): Promise<DemoDatabase> {
  const directory = await mkdtemp(join(tmpdir(), 'usage-etl-demo-'));
  // Root's server runs as another user, who must get through.
  await chmod(directory, 0o711);
  const demo = startProgram(programFile, ['demo', '--json', '--users', String(users)], {
    DATA_DIR: directory,
  });
  const { url } = JSON.parse(await demo.prints());
  const pool = new pg.Pool({ connectionString: url });
  // Idle connections are cut when the demo ends.
  pool.on('error', () => undefined);
  const password = randomBytes(12).toString('hex');
  // The server is the demo's own: nobody else has these roles there.
  for (const role of ['usage_analyst', 'usage_people_reader'])
    await pool.query(`alter role ${role} login password '${password}'`);
  const { hostname, port } = new URL(url);
  return {
    url,
    passwords: `${hostname}:${port}:*:*:${password}\n`,
    pool,
    async stop() {
      await pool.end();
      demo.process.kill('SIGTERM');
      await demo.ended;
      await rm(directory, { recursive: true });
    },
  };
}
