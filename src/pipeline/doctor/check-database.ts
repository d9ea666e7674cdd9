/** Checks that a run can use the database. Only reads. */
import type pg from 'pg';
import { ConfigurationError, explain } from '../../model/errors.ts';
import {
  doubtful,
  type Finding,
  findingsOf,
  good,
  unchecked,
  uncheckedBecause,
  wrong,
} from '../../model/finding.ts';
import { inShell } from '../../model/installation.ts';
import { counted } from '../../reporting/number-text.ts';
import { openPool, withSession } from '../../warehouse/connection/connection.ts';
import { refuseForeignOwners } from '../../warehouse/connection/foreign-owners.ts';
import { withClient } from '../../warehouse/connection/one-client.ts';
import { readOpenRights } from '../../warehouse/connection/open-rights.ts';
import {
  isPublicOpen,
  readRole,
  superuserProblem,
  superuserRemedy,
} from '../../warehouse/connection/own-role.ts';
import {
  refuseMissingRights,
  refuseMissingTemp,
  refuseReadOnly,
  refuseUnsafePooler,
  refuseUnsuitableServer,
} from '../../warehouse/connection/suitable-database.ts';
import { connectionSecurity } from '../../warehouse/connection/tls.ts';
import { readHeldEndpoints } from '../../warehouse/ledger/coverage.ts';
import { needed, refuseWithoutAdministrator } from '../../warehouse/migrations/administrator.ts';
import { pendingMigrations } from '../../warehouse/migrations/migration-status.ts';
import { readerProblems } from '../../warehouse/migrations/reader-problems.ts';
import { readQueueState } from '../../warehouse/queue/queue-schema.ts';

/** The checks of a database, in the order of the output. */
export const databaseChecks = [
  'read-only',
  'pooler',
  'role',
  'public',
  'owners',
  'CREATE',
  'TEMP',
  'migrations',
  'rights',
  'grants',
  'readers',
  'coverage',
];

/** The checks that need tables. */
const ofTables = ['rights', 'grants', 'readers', 'coverage'];

const timeoutMs = 4_000;
const limits = { lockTimeoutMs: timeoutMs, statementTimeoutMs: timeoutMs };

/** The database to check. */
export interface DatabaseToCheck {
  readonly url: string;
  /** `DATABASE_URL` or `DATABASE_URL_FILE`. */
  readonly variable: string;
  /** Endpoints that should have been loaded. */
  readonly endpoints: readonly string[];
  readonly signal: AbortSignal;
}

/** Checks a database; a problem of the database becomes a finding, not an error. */
export async function checkDatabase(database: DatabaseToCheck): Promise<Finding[]> {
  const { url, variable, endpoints, signal } = database;
  const advice = 'see docs/settings.md';
  let pool: pg.Pool;
  let warning: string | undefined;
  try {
    ({ warning } = connectionSecurity(url, process.env));
    pool = openPool(url, 2, { limits, signal });
  } catch (error) {
    return [...findingsOf(error, variable, advice), ...notAsked(variable)];
  }
  try {
    const server = await withClient(pool, describe);
    const reached =
      warning === undefined
        ? good(variable, server)
        : doubtful(variable, server, warning.replace(/^DATABASE_URL: /, ''));
    const findings = [
      reached,
      ...(await checkOf(variable, '', pool, refuseUnsuitableServer)).filter(isWrong),
    ];
    findings.push(...(await checkOf('read-only', 'the database can be written', pool, refuseReadOnly)));
    findings.push(...(await checkPooler(pool)));
    findings.push(await withClient(pool, checkRole), await withClient(pool, checkPublic));
    let there: ReadonlySet<string> = new Set();
    const owners = await checkOf('owners', 'other roles own nothing in the schemas', pool, async (client) => {
      there = await refuseForeignOwners(client, { isThorough: true });
    });
    findings.push(...owners);
    // Stops before it reads an object of another role.
    if (owners.some(isWrong))
      return [...findings, ...notAsked('owners', ['CREATE', 'TEMP', 'migrations', ...ofTables])];
    findings.push(
      ...(await checkOf('CREATE', 'the schemas are there, or may be made', pool, (client) =>
        refuseWithoutAdministrator(client, needed),
      )),
    );
    findings.push(...(await checkOf('TEMP', 'temporary tables may be made', pool, refuseMissingTemp)));
    const migrations = await checkMigrations(pool, there);
    findings.push(migrations);
    findings.push(...(await withClient(pool, (client) => checkQueue(client, there))));
    if (migrations.status !== 'ok') return [...findings, ...notAsked('migrations', ofTables)];
    findings.push(
      ...(await checkOf('rights', 'all tables may be read and written', pool, (client) =>
        refuseMissingRights(client, false),
      )),
    );
    findings.push(await withClient(pool, checkGrants), await withClient(pool, checkReaders));
    return [...findings, await checkCoverage(pool, endpoints)];
  } catch (error) {
    signal.throwIfAborted();
    const next = 'check address, network and server, and whether it is up';
    return [...findingsOf(error, variable, next), ...notAsked(variable)];
  } finally {
    await pool.end();
  }
}

const isWrong = ({ status }: Finding) => status === 'failed';

/** The checks that were not made because of the finding `cause`. */
export function notAsked(cause: string, names: readonly string[] = databaseChecks): Finding[] {
  return names.map((name) => uncheckedBecause(name, cause));
}

async function describe(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ version: string; database: string; role: string }>(
    `select current_setting('server_version') as version, current_database() as database, current_user as role`,
  );
  const [{ version, database, role } = { version: '?', database: '?', role: '?' }] = rows;
  return `Postgres ${version.split(' ')[0]}, database ${database}, role ${role}`;
}

/** Makes findings of a check that throws `ConfigurationError` for a problem. */
async function checkOf(
  name: string,
  detail: string,
  pool: pg.Pool,
  refuse: (client: pg.ClientBase) => Promise<void>,
): Promise<Finding[]> {
  try {
    await withClient(pool, refuse);
    return [good(name, detail)];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const statements = 'statements' in error && Array.isArray(error.statements) ? error.statements : [];
    const next = ['let an administrator run', ...statements.map(String)].join(' ');
    return statements.length === 0
      ? findingsOf(error, name, 'see SECURITY.md')
      : [wrong(name, explain(error).replace(/^DATABASE_URL: ([^;]*);.*$/s, '$1'), next)];
  }
}

async function checkRole(client: pg.ClientBase): Promise<Finding> {
  const role = await readRole(client);
  return role.isSuperuser
    ? doubtful('role', superuserProblem(role), superuserRemedy)
    : good('role', `role ${role.name} is no superuser`);
}

async function checkPublic(client: pg.ClientBase): Promise<Finding> {
  return (await isPublicOpen(client))
    ? doubtful(
        'public',
        'any role may create tables and functions in the schema public, which other programs may use by mistake',
        'let an administrator run `revoke create on schema public from public`',
      )
    : good('public', 'not every role may create in the schema public');
}

async function checkGrants(client: pg.ClientBase): Promise<Finding> {
  const open = await readOpenRights(client);
  return open === undefined
    ? good('grants', 'nobody else reads or writes the tables')
    : doubtful('grants', open.problem, open.remedy);
}

async function checkReaders(client: pg.ClientBase): Promise<Finding> {
  const problems = await readerProblems(client);
  return problems.length === 0
    ? good('readers', 'the roles that read the views have no other rights')
    : doubtful('readers', problems.map((problem) => problem.split('; ')[0]).join(' and '), 'see SECURITY.md');
}

async function checkPooler(pool: pg.Pool): Promise<Finding[]> {
  try {
    await refuseUnsafePooler(pool);
    return [good('pooler', 'no transaction pooler stands before the server')];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return findingsOf(error, 'pooler', 'connect to the server itself');
  }
}

async function checkMigrations(pool: pg.Pool, there: ReadonlySet<string>): Promise<Finding> {
  try {
    const pending = await pendingMigrations(pool, undefined, there);
    if (pending.length === 0) return good('migrations', 'the schema is up to date');
    return wrong(
      'migrations',
      `the database lacks ${counted(pending.length, 'migration')}`,
      `run \`${inShell('migrate')}\``,
    );
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const [finding] = findingsOf(error, 'migrations', 'update the program');
    return finding ?? unchecked('migrations', explain(error));
  }
}

/** Only `worker` and `enqueue` need the queue. A database without one is not bothered. */
async function checkQueue(client: pg.ClientBase, there: ReadonlySet<string>): Promise<Finding[]> {
  const { version, known } = await readQueueState(client, there);
  if (version === 0) return [];
  if (version === known) return [good('queue', 'worker and enqueue can use it')];
  const problem = `it has migration ${version} of its library, this version of the program knows ${known}`;
  return [
    doubtful('queue', problem, version < known ? `run \`${inShell('migrate')}\`` : 'update the program'),
  ];
}

async function checkCoverage(pool: pg.Pool, endpoints: readonly string[]): Promise<Finding> {
  const held = await withSession(pool, ({ db }) => readHeldEndpoints(db, endpoints));
  const missing = endpoints.filter((endpoint) => !held.includes(endpoint));
  if (missing.length === 0) return good('coverage', 'every endpoint has been loaded');
  return doubtful('coverage', `never loaded: ${missing.join(', ')}`, `run \`${inShell('backfill')}\``);
}
