/** Who may call the simulated platform (platform-api.md §5). */
import { Problem } from './answer.ts';

/** Roles in an organization; analytics are for owners and managers. */
export type Role = 'owner' | 'manager' | 'member' | 'guest';

/** Role by bearer credential. */
export type ApiKeys = Readonly<Record<string, Role>>;

/** The role of the caller; throws a `Problem` 401 without a known bearer credential. */
export function roleOf(apiKeys: ApiKeys, authorization: string | undefined): Role {
  const credential = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  if (credential === undefined)
    throw new Problem(401, 'expected the header "Authorization: Bearer <API_KEY>"');
  const role = Object.hasOwn(apiKeys, credential) ? apiKeys[credential] : undefined;
  if (role === undefined) throw new Problem(401, 'the API key is not valid');
  return role;
}

/** Throws a `Problem`: 401 for an unknown caller, 403 for one without the Manager or Owner role. */
export function requireAnalyticsAccess(apiKeys: ApiKeys, authorization: string | undefined): void {
  const role = roleOf(apiKeys, authorization);
  if (role !== 'owner' && role !== 'manager')
    throw new Problem(403, `analytics need the Manager or Owner role, the caller is a ${role}`);
}
