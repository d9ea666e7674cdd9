/** The compared programs: this one, and others with the settings that their documentation recommends. */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A program with settings. */
export interface Contestant {
  readonly program: string;
  /** The settings in words: a program may be measured with several. */
  readonly settings: string;
  /** A table or a select with the rows that the program loaded: `date`, `sessions` and `billable_tokens`. */
  readonly userDays: string;
  /** How to run the program; undefined for this program. */
  readonly peer?: Peer;
}

/** How to run another program. */
export interface Peer {
  /** The folder of the program beside this file, with `requirements.txt`. */
  readonly folder: string;
  /** Returns the command; `environment` is the folder of its Python environment. */
  readonly command: (environment: string) => readonly string[];
}

/** The compared programs, in the order of the table. */
export const contestants: readonly Contestant[] = [
  {
    program: 'usage-etl',
    settings: '`backfill`, then `nightly` that reads all days again; no limit to requests a second',
    userDays: '(select usage_date as date, sessions, billable_tokens from warehouse.fact_user_daily)',
  },
  of('Sling', '`incremental` by key; Python reads the pages', python('sling/load.py')),
  of('dlt', 'REST API source, `merge`', python('dlt/load.py')),
  of(
    'dlt',
    'the same in parallel, through CSV files that are not compressed',
    python('dlt/load.py', 'fastest'),
  ),
  of('dlt', 'days as Arrow tables of declared types, languages as text', python('dlt/load_arrow.py')),
  of('Meltano', 'a tap made with its SDK, `target-postgres` with `upsert`', bash('meltano/load.sh', 'false')),
  of('Meltano', 'the same with `use_copy`', bash('meltano/load.sh', 'true')),
  of('Airbyte', 'PyAirbyte: declarative source, Postgres cache, `merge`', python('airbyte/load.py')),
];

function of(program: string, settings: string, peer: Peer): Contestant {
  return { program, settings, userDays: 'peer.users', peer };
}

function python(file: string, ...settings: readonly string[]): Peer {
  const command: Peer['command'] = (environment) => [
    join(environment, 'bin/python'),
    fileOf(file),
    ...settings,
  ];
  return { folder: dirname(file), command };
}

function bash(file: string, ...settings: readonly string[]): Peer {
  return {
    folder: dirname(file),
    command: (environment) => ['bash', fileOf(file), environment, ...settings],
  };
}

/** The path of a peer's file. */
export function fileOf(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}

/** Names and versions from `requirements.txt`, such as `dlt 1.31.0`. */
export async function versionsOf({ peer }: Contestant): Promise<string> {
  if (peer === undefined) return 'this version';
  const pins = await readFile(fileOf(`${peer.folder}/requirements.txt`), 'utf8');
  return pins
    .trim()
    .split('\n')
    .join(', ')
    .replace(/\[.*?\]/g, '')
    .replaceAll('==', ' ');
}
