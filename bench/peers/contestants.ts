/** Who is measured: this program, and the others with the settings that their documents give for this job. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A program with settings. */
export interface Contestant {
  readonly program: string;
  /** What tells it from others of the same program. */
  readonly settings: string;
  /** What it left in the database: a table or a join with `date`, `sessions` and `billable_tokens`. */
  readonly userDays: string;
  /** Undefined: this program. */
  readonly peer?: Peer;
}

/** How a program of others is run. */
export interface Peer {
  /** Its folder beside this file, with `requirements.txt`. */
  readonly folder: string;
  /** The command, given the folder of its Python environment. */
  readonly command: (environment: string) => readonly [string, ...string[]];
}

const peerTable = 'peer.users';

/** In the order in which the table shows them. */
export const contestants: readonly Contestant[] = [
  {
    program: 'usage-etl',
    settings:
      '`backfill`, then `nightly` with a lookback over all days; without a limit of requests a second',
    userDays: `(select usage_date as date, sessions, billable_tokens from warehouse.fact_user_daily)`,
  },
  of('Sling', 'sling', '`incremental` with a primary key, records streamed from Python', python()),
  of('dlt', 'dlt', 'REST API source, `merge`', python()),
  of('dlt', 'dlt', 'the same, its fastest', python('fastest')),
  of('Meltano', 'meltano', 'a tap of its SDK, `target-postgres` with `upsert`', shell('false')),
  of('Meltano', 'meltano', 'the same with `use_copy`', shell('true')),
  of('Airbyte', 'airbyte', 'PyAirbyte, declarative source, Postgres cache, `merge`', python()),
];

function of(
  program: string,
  folder: string,
  settings: string,
  load: (folder: string) => Peer['command'],
): Contestant {
  return { program, settings, userDays: peerTable, peer: { folder, command: load(folderOf(folder)) } };
}

function python(...settings: readonly string[]) {
  return (folder: string): Peer['command'] =>
    (environment) => [join(environment, 'bin/python'), join(folder, 'load.py'), ...settings];
}

function shell(...settings: readonly string[]) {
  return (folder: string): Peer['command'] =>
    (environment) => ['bash', join(folder, 'load.sh'), environment, ...settings];
}

/** The folder of a peer's files. */
export function folderOf(folder: string): string {
  return fileURLToPath(new URL(folder, import.meta.url));
}

/** Names and versions that `requirements.txt` pins, such as `dlt 1.31.0`. */
export async function versionsOf({ peer }: Contestant): Promise<string> {
  if (peer === undefined) return 'this version';
  const pins = await readFile(join(folderOf(peer.folder), 'requirements.txt'), 'utf8');
  return pins
    .trim()
    .split('\n')
    .join(', ')
    .replace(/\[.*?\]/g, '')
    .replaceAll('==', ' ');
}
