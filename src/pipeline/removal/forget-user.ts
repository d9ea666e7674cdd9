/** `forget-user`: forgets whom a name means, everywhere and for good. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type pg from 'pg';
import { InterruptedError, LockHeldError } from '../../model/errors.ts';
import type { ForgetReport, ForgottenUser } from '../../model/forgetting.ts';
import { ForgottenPersons } from '../../model/forgotten-persons.ts';
import { personPlaces } from '../../sources/person-columns.ts';
import { withSession } from '../../warehouse/connection/connection.ts';
import { databaseTime, hasRunSince } from '../../warehouse/ledger/last-runs.ts';
import { listOrganizations } from '../../warehouse/ledger/organization.ts';
import { readForgotten, readForgottenWithKey } from '../../warehouse/removal/forgotten-names.ts';
import { withOwnersReadOnly, withStoredOwners } from '../../warehouse/removal/stored-owners.ts';
import { sumCredits } from '../load/sum-credits.ts';
import { removeSpillFiles } from '../receive/received-memory.ts';
import type { JobSurroundings } from '../runs/job-surroundings.ts';
import { dataDirectory } from '../runs/open-warehouse.ts';
import { type OpenRun, withRun } from '../runs/with-run.ts';
import { forgetStored, keepLearned } from './forget-stored.ts';
import { type ForgetPlan, planForgetting } from './plan-forgetting.ts';

/** Who is to be forgotten. */
export interface ForgetJob {
  /** A user id or an e-mail. */
  readonly name: string;
  /** Told whom that means, before anything is done; throws where that must not be. The signal ends its question. */
  readonly confirm: (users: readonly ForgottenUser[], signal: AbortSignal) => Promise<void>;
}

interface Organization {
  readonly orgKey: number;
  readonly organizationId: string;
}

/** Finds out whom a name means, and does nothing: a server that is read-only is good enough. */
export async function planForgettingDry(
  pool: pg.Pool,
  name: string,
  signal: AbortSignal,
): Promise<readonly ForgottenUser[]> {
  const organizations = await withSession(pool, ({ db }) => listOrganizations(db));
  return forgottenUsers(await planned(pool, name, signal, withOwnersReadOnly), organizations);
}

/**
 * Asks whether to forget whom the name means, remembers digests of their names, then takes them out of all that is
 * stored. Holds the locks of the organizations in which somebody is meant while it asks, and then of all that nobody
 * else holds. Those in which somebody is meant must be among them, or all where nobody is: else `LockHeldError` in
 * `stoppedBy`, and nothing was done. Nothing is done either where the name means others than those agreed to by then.
 */
export async function forgetUser(job: ForgetJob, surroundings: JobSurroundings): Promise<ForgetReport> {
  const { name } = job;
  const done = { users: [] as readonly ForgottenUser[], rows: 0, chunks: 0, organizationsLeft: 0 };
  let isNew = false;
  const runJob = { name: 'forget-user', arguments: {} };
  const { summary, stoppedBy } = await withRun(surroundings, runJob, async (run) => {
    const { control, onEvent } = run;
    const { held, locked, plan, users } = await agreed(job, run);
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
    await sumCredits(run, held);
  });
  const changed = done.users.length + done.rows + done.chunks > 0;
  const unchanged = isNew ? 'nobody_known' : 'nothing_to_do';
  return { runId: summary.run_id, outcome: changed ? 'forgotten' : unchanged, ...done, stoppedBy };
}

interface Agreed {
  readonly plan: ForgetPlan;
  readonly users: readonly ForgottenUser[];
  /** The organizations whose locks are held. */
  readonly held: readonly number[];
  readonly locked: ReadonlyMap<number, LockHeldError>;
}

/** Finds out whom the name means, and asks. Throws as `forgetUser` says. */
async function agreed(
  { name, confirm }: ForgetJob,
  { control, runId, pool, signal }: OpenRun,
): Promise<Agreed> {
  const began = await control.use(({ db }) => databaseTime(db));
  const known = await control.use(({ db }) => listOrganizations(db));
  const first = await planned(pool, name, signal);
  // While somebody thinks about it, others go on with their organizations.
  const concerned = new Set(first.users.map(({ orgKey }) => orgKey));
  for (const orgKey of concerned) await control.holdOrganization(orgKey);
  const users = forgottenUsers(first, known);
  await confirm(users, signal);

  const organizations = await control.use(({ db }) => listOrganizations(db));
  const { held, locked } = await holdAll(control, organizations);
  // Whoever ran meanwhile may have brought somebody else, or somebody else's address.
  const isSame = !(await control.use(({ db }) => hasRunSince(db, runId, began)));
  const plan = isSame ? first : await planned(pool, name, signal);
  // Of whom nobody has heard, every organization may have heard since.
  for (const { orgKey } of plan.users.length === 0 ? organizations : plan.users)
    if (locked.has(orgKey)) throw locked.get(orgKey);
  const idsOf = (of: readonly ForgottenUser[]) =>
    JSON.stringify(of.map(({ organizationId, userId }) => [organizationId, userId]));
  const usersNow = forgottenUsers(plan, organizations);
  if (idsOf(usersNow) !== idsOf(users))
    throw new InterruptedError(
      'whom the name means has changed since that was said: nobody was forgotten; run it again',
    );
  return { plan, users: usersNow, held, locked };
}

/** Takes the locks of all organizations that nobody else holds; those that somebody does, with what says so. */
async function holdAll(
  control: OpenRun['control'],
  organizations: readonly Organization[],
): Promise<{ readonly held: readonly number[]; readonly locked: ReadonlyMap<number, LockHeldError> }> {
  const held: number[] = [];
  const locked = new Map<number, LockHeldError>();
  for (const { orgKey } of organizations)
    try {
      await control.holdOrganization(orgKey);
      held.push(orgKey);
    } catch (error) {
      if (!(error instanceof LockHeldError)) throw error;
      locked.set(orgKey, error);
    }
  return { held, locked };
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
