/** The organization for commands whose answers do not name it: limits, session messages. */

import type pg from 'pg';
import type { Config } from '../../model/config.ts';
import { type Day, yesterday } from '../../model/day.ts';
import { CredentialsRefusedError, UnexpectedAnswerError } from '../../model/errors.ts';
import type { Source } from '../../model/source.ts';
import { type Database, withSession } from '../../warehouse/connection/connection.ts';
import { retryOnConnectionLoss } from '../../warehouse/connection/reconnect.ts';
import { readBoundNames } from '../../warehouse/ledger/bound-organizations.ts';
import { bindCredential, boundOrganization } from '../../warehouse/ledger/credential.ts';
import { listOrganizations } from '../../warehouse/ledger/organization.ts';
import {
  type LearnedOrganization,
  learnOrganization,
  type OrganizationQuestion,
} from './learn-organization.ts';
import { bindOrganization, refuseOtherId } from './name-of-organization.ts';

/**
 * The id of the organization that analytics names for the credential. A credential that may not read analytics (403,
 * platform-api.md §5) belongs to the only organization of the warehouse; throws `CredentialsRefusedError` if there is
 * none, or more than one. Otherwise throws what `learnOrganization` and `refuseAnotherOrganization` throw.
 */
export async function organizationOfCredential(
  db: Database,
  question: OrganizationQuestion,
): Promise<string> {
  try {
    const { organizationId } = await learnOrganization(question, yesterday(question.clock));
    await refuseAnotherOrganization(db, question, organizationId);
    return organizationId;
  } catch (error) {
    if (!(error instanceof CredentialsRefusedError) || error.status !== 403) throw error;
    return onlyOrganization(await listOrganizations(db), error);
  }
}

/**
 * The same for an organization of ORGANIZATIONS_FILE: its name is bound to the answer. If its credential may not read
 * analytics, it is the one that its name was bound to before. `named` is undefined without the file. Throws the errors
 * of `organizationOfCredential` and `bindOrganization`.
 */
export async function organizationOfNamed(
  pool: pg.Pool,
  question: OrganizationQuestion,
  named: Config['organization'],
): Promise<string> {
  if (named === undefined) return withSession(pool, ({ db }) => organizationOfCredential(db, question));
  try {
    // No connection is held while the platform is asked: other organizations may need it.
    const { organizationId } = await learnOrganization(question, yesterday(question.clock));
    await withSession(pool, async ({ db }) => {
      await refuseAnotherOrganization(db, question, organizationId);
      await bindOrganization(db, named, organizationId);
    });
    return organizationId;
  } catch (error) {
    if (!(error instanceof CredentialsRefusedError) || error.status !== 403) throw error;
    const bound = await withSession(pool, ({ db }) => readBoundNames(db, [named.name]));
    const organization = bound.get(named.name);
    if (organization === undefined) throw error;
    return organization.organizationId;
  }
}

/**
 * For commands without a database: throws `ConfigurationError` if the entry of ORGANIZATIONS_FILE names another organization
 * than the one that answers. Asks only if it names one; a credential that may not read analytics (403) says nothing.
 */
export async function refuseKeyOfAnother(
  question: OrganizationQuestion,
  named: Config['organization'],
): Promise<void> {
  if (named?.orgId === undefined) return;
  try {
    const { organizationId } = await learnOrganization(question, yesterday(question.clock));
    refuseOtherId(named, organizationId);
  } catch (error) {
    if (!(error instanceof CredentialsRefusedError) || error.status !== 403) throw error;
  }
}

/**
 * Throws `UnexpectedAnswerError` if an earlier run got another organization for the same address and key. Ids that
 * differ only in white space or case are different organizations, too.
 */
export async function refuseAnotherOrganization(
  db: Database,
  { client }: OrganizationQuestion,
  organizationId: string,
): Promise<void> {
  const bound = await boundOrganization(db, client.credential);
  if (bound === undefined || bound.organizationId === organizationId) return;
  const [before, now] = [bound.organizationId, organizationId].map((id) => JSON.stringify(id));
  throw new UnexpectedAnswerError(
    `expected the platform to answer as organization ${before}, as it did on ${bound.boundAt.toISOString().slice(0, 10)} with the same API_BASE_URL and API_KEY, but it answered as ${now}; nothing was done. ` +
      `If this is a mistake of the platform, run again when it is corrected; if the warehouse is the wrong one, set DATABASE_URL; ` +
      `if ${now} is right, delete the row of ${before} from etl.credential: then ${now} is loaded as a second organization`,
  );
}

/**
 * The organization whose data a job loads. A job that reads days binds its credential to the organization. Other jobs
 * need no right to read analytics. `named` is the organization of ORGANIZATIONS_FILE whose credential it is: its name is
 * bound first. Throws what `learnOrganization`, `refuseAnotherOrganization`, `bindOrganization` and
 * `organizationOfCredential` throw.
 */
export async function organizationOfJob(
  { sources, yesterday: last }: { readonly sources: readonly Source[]; readonly yesterday: Day },
  question: OrganizationQuestion,
  pool: pg.Pool,
  signal: AbortSignal,
  named: Config['organization'],
): Promise<LearnedOrganization> {
  if (sources.some(({ partitioning }) => partitioning.kind === 'day')) {
    const learned = await learnOrganization(question, last);
    await retryOnConnectionLoss(pool, signal, () =>
      withSession(pool, async ({ db }) => {
        await bindOrganization(db, named, learned.organizationId);
        await bindCredential(db, question.client.credential, learned.organizationId);
        await refuseAnotherOrganization(db, question, learned.organizationId);
      }),
    );
    return learned;
  }
  const organizationId = await organizationOfNamed(pool, question, named);
  return { organizationId, servedUntil: last };
}

function onlyOrganization(
  organizations: readonly { readonly organizationId: string }[],
  cause: CredentialsRefusedError,
): string {
  const [only] = organizations;
  if (only !== undefined && organizations.length === 1) return only.organizationId;
  throw new CredentialsRefusedError(
    `the organization cannot be determined: this API key may not read analytics, and the warehouse holds ${organizations.length} organizations instead of one; use a key of a user with the Manager or Owner role`,
    { status: 403, cause },
  );
}
