/** Access control of the simulated platform (platform-api.md §5). */
import { Problem } from './answer.ts';
import type { OpenPoints } from './open-points.ts';

/** The access control of an operation. */
export interface OperationAccess {
  readonly apiKeys: ApiKeys;
  /** Throws a `Problem` when the caller has no access. */
  readonly allow: (apiKeys: ApiKeys, authorization: string | undefined) => void;
}

/** Roles in an organization. Only owners and managers may read analytics. */
export const roles = ['owner', 'manager', 'member', 'guest'] as const;
export type Role = (typeof roles)[number];

/** The accepted bearer credentials, each with its role. */
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

/** The access control of operations outside of analytics. The documentation leaves open which roles have access. */
export function accessToOthers({
  apiKeys,
  points,
}: {
  apiKeys: ApiKeys;
  points: OpenPoints;
}): OperationAccess {
  const allow = (keys: ApiKeys, authorization: string | undefined) => {
    const role = roleOf(keys, authorization);
    if (points['other-roles'] === 'managers' && role !== 'owner' && role !== 'manager')
      throw new Problem(403, `this needs the Manager or Owner role, the caller is a ${role}`);
  };
  return { apiKeys, allow };
}

/** The statuses with which operations outside of analytics refuse a request, besides 404 and 409. */
export function refusalsOfOthers(points: OpenPoints, badRequest: number): number[] {
  return [badRequest, 401, ...(points['other-roles'] === 'managers' ? [403] : []), 500];
}
