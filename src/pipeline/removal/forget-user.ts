/** `forget-user`: forgets the users with a name, in all stored data and in later loads. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type pg from 'pg';
import { InterruptedError, type LockHeldError } from '../../model/errors.ts';
import type { ForgetReport, ForgottenUser } from '../../model/forgetting.ts';
import { ForgottenPersons } from '../../model/forgotten-persons.ts';
import { personPlaces } from '../../sources/person-columns.ts';
import { withSession } from '../../warehouse/connection/connection.ts';
import { databaseTime, hasRunSince } from '../../warehouse/ledger/last-runs.ts';
import { listOrganizations } from '../../warehouse/ledger/organization.ts';
import { readForgotten, readForgottenWithKey } from '../../warehouse/removal/forgotten-names.ts';
import { withOwnersReadOnly, withStoredOwners } from '../../warehouse/removal/stored-owners.ts';
import { sumCredits } from '../load/sum-credits.ts';
import { takeFreeOrganizations } from '../organization/take-organization.ts';
import type { JobSurroundings } from '../runs/job-surroundings.ts';
import { dataDirectory } from '../runs/open-warehouse.ts';
import { removeSpillFiles } from '../runs/received-memory.ts';
import { type OpenRun, withRun } from '../runs/with-run.ts';
import { forgetStored, keepLearned } from './forget-stored.ts';
import { type ForgetPlan, planForgetting } from './plan-forgetting.ts';

/** The user to forget. */
export interface ForgetJob {
  /** A user id or an e-mail. */
  readonly name: string;
  /** Called with the users before anything is changed; throws if the person at the terminal says no. */
  readonly confirm: (users: readonly ForgottenUser[], signal: AbortSignal) => Promise<void>;
}

interface Organization {
  readonly orgKey: number;
  readonly organizationId: string;
}

/** Finds the users with a name without writing anything, so that it also works on a read-only server. */
export async function planForgettingDry(
  pool: pg.Pool,
  name: string,
  signal: AbortSignal,
): Promise<readonly ForgottenUser[]> {
  const organizations = await withSession(pool, ({ db }) => listOrganizations(db));
  return forgottenUsers(await planned(pool, name, signal, withOwnersReadOnly), organizations);
}

/**
 * Finds the users with the name, asks whether to forget them, stores digests of their names, then removes them from all
 * stored data. While it asks, it holds the locks of these users' organizations. Then it takes the locks of the other
 * organizations, except those that another run holds. If another run holds the lock of an organization of these users (or
 * of any organization, if there is no such user), `stoppedBy` is a `LockHeldError`, and nothing is changed. Nothing is
 * changed either if other users have the name now than those that were confirmed.
 */
export async function forgetUser(job: ForgetJob, surroundings: JobSurroundings): Promise<ForgetReport> {
  const { name } = job;
  const done = { users: [] as readonly ForgottenUser[], rows: 0, chunks: 0, organizationsLeft: 0 };
  let isNew = false;
  const runJob = { name: 'forget-user', arguments: {} };
  const { summary, stoppedBy } = await withRun(surroundings, runJob, async (run) => {
    const { control, onEvent } = run;
    const { held, locked, plan, users } = await planAndConfirm(job, run);
    done.organizationsLeft = locked.size;
    done.users = users;

    const persons = new ForgottenPersons();
    await control.use(({ db }) => readForgottenWithKey(db, persons));
    isNew = !persons.isForgotten(name);
    persons.forget(name);
    for (const { userId } of plan.users) persons.forgetUser(userId);
    for (const email of plan.sole) persons.withhold(email, 'sole');
    for (const email of plan.shared) persons.withhold(email, 'shared');
    const forgetting = { ...run, persons };
    await keepLearned(forgetting);
    const forgotten = await forgetStored(forgetting, held);
    done.rows = forgotten.rows;
    done.chunks = forgotten.chunks;
    onEvent({ type: 'persons-forgotten', ...forgotten });
    removeSpillFiles(join(dataDirectory(run.config), 'tmp'));
    // The credits of teams are the same in all other organizations.
    await sumCredits(
      run,
      [...forgotten.orgKeys].sort((a, b) => a - b),
    );
  });
  const changed = done.users.length + done.rows + done.chunks > 0;
  const unchanged = isNew ? 'nobody_known' : 'nothing_to_do';
  return { runId: summary.run_id, outcome: changed ? 'forgotten' : unchanged, ...done, stoppedBy };
}

interface ConfirmedPlan {
  readonly plan: ForgetPlan;
  readonly users: readonly ForgottenUser[];
  /** The organizations whose locks are held. */
  readonly held: readonly number[];
  readonly locked: ReadonlyMap<number, LockHeldError>;
}

/** Finds the users with the name, and asks. Throws the errors that `forgetUser` names. */
async function planAndConfirm(
  { name, confirm }: ForgetJob,
  { control, runId, pool, signal }: OpenRun,
): Promise<ConfirmedPlan> {
  const began = await control.use(({ db }) => databaseTime(db));
  const known = await control.use(({ db }) => listOrganizations(db));
  const first = await planned(pool, name, signal);
  // Take only these locks while the question is open, so that other organizations can be loaded meanwhile.
  const concerned = new Set(first.users.map(({ orgKey }) => orgKey));
  for (const orgKey of concerned) await control.holdOrganization(orgKey);
  const users = forgottenUsers(first, known);
  await confirm(users, signal);

  const organizations = await control.use(({ db }) => listOrganizations(db));
  const { held, locked } = await takeFreeOrganizations({ control }, organizations);
  // A run in the meantime may have loaded another user with the name, or another user with one of the addresses.
  const isSame = !(await control.use(({ db }) => hasRunSince(db, runId, began)));
  const plan = isSame ? first : await planned(pool, name, signal);
  // A run that holds a lock may be loading the user at this moment; if no user is known, so may a run of any organization.
  for (const { orgKey } of plan.users.length === 0 ? organizations : plan.users)
    if (locked.has(orgKey)) throw locked.get(orgKey);
  const idsOf = (of: readonly ForgottenUser[]) =>
    JSON.stringify(of.map(({ organizationId, userId }) => [organizationId, userId]));
  const usersNow = forgottenUsers(plan, organizations);
  if (idsOf(usersNow) !== idsOf(users))
    throw new InterruptedError(
      'the users with this name have changed since they were listed: nobody was forgotten; run it again',
    );
  return { plan, users: usersNow, held, locked };
}

async function planned(
  pool: pg.Pool,
  name: string,
  signal: AbortSignal,
  read = withStoredOwners,
): Promise<ForgetPlan> {
  const persons = new ForgottenPersons();
  const anybody = await withSession(pool, ({ db }) => readForgotten(db, persons));
  if (!anybody) persons.know(randomBytes(32), []);
  return await read(pool, personPlaces, signal, (each) =>
    planForgetting(name, each, (userId) => persons.isForgottenUser(userId), persons.nameOfAddress),
  );
}

function forgottenUsers(
  { users }: ForgetPlan,
  organizations: readonly Organization[],
): readonly ForgottenUser[] {
  const idOf = new Map(organizations.map(({ orgKey, organizationId }) => [orgKey, organizationId]));
  return users.map(({ orgKey, userId, shared }) => ({
    organizationId: idOf.get(orgKey) ?? `number ${orgKey}`,
    userId,
    shared,
  }));
}
