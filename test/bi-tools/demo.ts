/** The demo's warehouse, for tests that look at it with tools of other people. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { ownNamesOnly } from '../../tools/search-path.ts';
import { programFile, startProgram } from '../support/program.ts';

/** Where a login of the demo's Postgres gets in, by the variables of libpq. */
export interface Login {
  readonly PGHOST: string;
  readonly PGPORT: string;
  readonly PGDATABASE: string;
  readonly PGUSER: string;
  readonly PGPASSWORD: string;
}

/** A demo that goes on running. */
export interface Demo {
  /** Its database, as its owner. */
  readonly client: pg.Client;
  readonly owner: Login;
  /** A new login that is in one of the roles for readers, and in nothing else. */
  login(role: 'usage_analyst' | 'usage_people_reader'): Promise<Login>;
  stop(): Promise<void>;
}

/** Starts a demo in a Postgres of its own: that of docs/questions.md, unless told otherwise. */
export async function startDemo(...options: readonly string[]): Promise<Demo> {
  const directory = await mkdtemp(join(tmpdir(), 'usage-etl-demo-'));
  // Root's server runs as another user, who must get through.
  await chmod(directory, 0o711);
  const what = options.length === 0 ? ['--to', '2026-06-30'] : options;
  const program = startProgram(programFile, ['demo', '--json', ...what], { DATA_DIR: directory });
  const { url } = JSON.parse(await program.prints());
  const { hostname, port, pathname, username, password } = new URL(url);
  const owner: Login = {
    PGHOST: hostname,
    PGPORT: port,
    PGDATABASE: pathname.slice(1),
    PGUSER: username,
    PGPASSWORD: password,
  };
  const client = new pg.Client({ ...ownNamesOnly, connectionString: url });
  await client.connect();
  return {
    client,
    owner,
    async login(role) {
      const name = `some_${role}`;
      await client.query(`drop role if exists ${name}`);
      await client.query(`create role ${name} login password 'secret' in role ${role}`);
      return { ...owner, PGUSER: name, PGPASSWORD: 'secret' };
    },
    async stop() {
      await client.end();
      program.process.kill('SIGTERM');
      await program.ended;
      await rm(directory, { recursive: true });
    },
  };
}
