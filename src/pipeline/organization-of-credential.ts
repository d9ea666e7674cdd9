/** Whose data a command is about whose own answers do not say so: limits, session messages. */

import type pg from 'pg';
import { type Day, yesterday } from '../model/day.ts';
import { CredentialsRefusedError } from '../model/errors.ts';
import type { Source } from '../model/source.ts';
import { type Database, withSession } from '../warehouse/connection/connection.ts';
import { listOrganizations } from '../warehouse/ledger/organization.ts';
import {
  type LearnedOrganization,
  learnOrganization,
  type OrganizationQuestion,
} from './learn-organization.ts';

/**
 * The id of the credential's organization: the one that analytics names. A credential that may not read analytics (403,
 * platform-api.md §5) is taken for one of the only organization of the warehouse; throws `CredentialsRefusedError`
 * where there is none, or several, and else what `learnOrganization` throws.
 */
export async function organizationOfCredential(
  db: Database,
  question: OrganizationQuestion,
): Promise<string> {
  try {
    return (await learnOrganization(question, yesterday(question.clock))).organizationId;
  } catch (error) {
    if (!(error instanceof CredentialsRefusedError) || error.status !== 403) throw error;
    return onlyOrganization(await listOrganizations(db), error);
  }
}

/** Whose data a job loads. One that reads no days need not be allowed to read analytics. Throws what both ways throw. */
export async function organizationOfJob(
  { sources, yesterday: last }: { readonly sources: readonly Source[]; readonly yesterday: Day },
  question: OrganizationQuestion,
  pool: pg.Pool,
): Promise<LearnedOrganization> {
  if (sources.some(({ partitioning }) => partitioning.kind === 'day'))
    return learnOrganization(question, last);
  const organizationId = await withSession(pool, ({ db }) => organizationOfCredential(db, question));
  return { organizationId, servedUntil: last };
}

function onlyOrganization(
  organizations: readonly { readonly organizationId: string }[],
  cause: CredentialsRefusedError,
): string {
  const [only] = organizations;
  if (only !== undefined && organizations.length === 1) return only.organizationId;
  throw new CredentialsRefusedError(
    `whose organization this is cannot be known: this API key may not read analytics, and the warehouse holds ${organizations.length} organizations instead of one; use a key of a user with the Manager or Owner role`,
    { status: 403, cause },
  );
}
