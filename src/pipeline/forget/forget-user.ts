/** `forget-user`: forgets one person, everywhere and for good. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type pg from 'pg';
import type { Config } from '../../model/config.ts';
import { LockHeldError } from '../../model/errors.ts';
import { ForgottenPersons } from '../../model/forgotten-persons.ts';
import { personPlaces } from '../../sources/person-columns.ts';
import { readForgottenWithKey } from '../../warehouse/forgetting/forgotten-names.ts';
import { readPairs } from '../../warehouse/forgetting/read-pairs.ts';
import { listOrganizations } from '../../warehouse/ledger/organization.ts';
import { renewCreditSums } from '../../warehouse/sums/credit-sums.ts';
import { dataDirectory } from '../open-warehouse.ts';
import { removeSpillFiles } from '../receive/received-memory.ts';
import { type RunOptions, recordRun } from '../recorded-run.ts';
import { forgetStored, keepLearned } from './forget-stored.ts';

/** Who is to be forgotten, and where. */
export interface ForgetOptions
  extends Omit<RunOptions, 'counts' | 'job' | 'arguments'>,
    Pick<Config, 'dataDirectory'> {
  /** A user id or an e-mail. */
  readonly name: string;
}

/** What came of it. */
export interface ForgetReport {
  readonly runId: number;
  /** `nothing_to_do`: the name was forgotten before. `nobody_known`: nobody had it, and whoever comes with it will be forgotten. */
  readonly outcome: 'forgotten' | 'nobody_known' | 'nothing_to_do';
  /** Users who had the name, or another one of the same person, in all organizations. */
  readonly users: number;
  /** Rows of tables that were rewritten. */
  readonly rows: number;
  /** Chunks of the raw archive that were rewritten. */
  readonly chunks: number;
  /** Organizations that others are at work on: their run does the same when it ends. */
  readonly organizationsLeft: number;
  /** What stopped it; undefined when it came to its end. */
  readonly stoppedBy: unknown;
}

/**
 * Remembers a digest of the name, then takes the person out of all that is stored. Holds the locks of the organizations
 * in which somebody has the name, of all where nobody has; `LockHeldError` in `stoppedBy` says that one of them is held, and that nothing was done.
 */
export async function forgetUser(options: ForgetOptions): Promise<ForgetReport> {
  const { name, pool, abort } = options;
  const persons = new ForgottenPersons();
  let [users, rows, chunks, organizationsLeft] = [0, 0, 0, 0];
  let isNew = false;
  const run = { ...options, job: 'forget-user', arguments: {}, counts: { sent: 0, retried: 0 } };
  const { summary, stoppedBy } = await recordRun(run, async ({ control, report }) => {
    const organizations = await control.use(({ db }) => listOrganizations(db));
    const found = await findUsers(pool, name);
    users = found.length;
    // Of whom nobody has heard, every organization may have heard since.
    const concerned = new Set((users === 0 ? organizations : found).map(({ orgKey }) => orgKey));
    const held: number[] = [];
    for (const orgKey of concerned) {
      await control.holdOrganization(orgKey);
      held.push(orgKey);
    }
    for (const { orgKey } of organizations.filter((each) => !concerned.has(each.orgKey)))
      try {
        await control.holdOrganization(orgKey);
        held.push(orgKey);
      } catch (error) {
        if (!(error instanceof LockHeldError)) throw error;
        organizationsLeft += 1;
      }
    await control.use(({ db }) => readForgottenWithKey(db, persons));
    isNew = !persons.isForgotten(name);
    persons.forget(name);
    const forgetting = { pool, persons, signal: abort.signal };
    await keepLearned(forgetting);
    const forgotten = await forgetStored(forgetting, held);
    rows = forgotten.rows;
    chunks = forgotten.chunks;
    report({ type: 'persons-forgotten', ...forgotten });
    removeSpillFiles(join(dataDirectory(options), 'tmp'));
    for (const orgKey of held) await renewCreditSums(pool, orgKey, abort.signal);
  });
  const changed = users + rows + chunks > 0;
  const unchanged = isNew ? 'nobody_known' : 'nothing_to_do';
  return {
    runId: summary.run_id,
    outcome: changed ? 'forgotten' : unchanged,
    users,
    rows,
    chunks,
    organizationsLeft,
    stoppedBy,
  };
}

/** The users who have a name, and those who share another one with them. Nothing is remembered of them. */
async function findUsers(
  pool: pg.Pool,
  name: string,
): Promise<readonly { readonly orgKey: number; readonly userId: string }[]> {
  const probe = new ForgottenPersons();
  probe.know(randomBytes(32), []);
  probe.forget(name);
  const found = new Map<string, { readonly orgKey: number; readonly userId: string }>();
  for (let known = -1; known !== probe.size; ) {
    known = probe.size;
    for (const table of personPlaces.tables)
      await readPairs(pool, table, ({ orgKey, userId, email }) => {
        if (email !== null) probe.noteBeside(userId, email);
        if (probe.isForgotten(userId)) found.set(`${orgKey} ${userId}`, { orgKey, userId });
      });
  }
  return [...found.values()];
}
