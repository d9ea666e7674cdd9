/** Credit limits of single users: request and answer (platform-api.md §2.4, §4.1). */
import { z } from 'zod';
import type { Call } from './call.ts';

/** The smallest limit that the platform accepts. */
export const smallestLimit = 1_000_000;
export const mostUsersPerRequest = 100;

const email = z.string().min(1);

/** The body of the request. `limit` null removes the user's own limit. */
export const limitsRequest = z.strictObject({
  users: z
    .array(z.strictObject({ email, limit: z.int().min(smallestLimit).nullable() }))
    .min(1)
    .max(mostUsersPerRequest),
});

/** The answer: the new limits, and the users whose limit could not be changed. */
export const limitsAnswer = z.object({
  updated: z.array(z.object({ email, limit: z.int().min(0).nullable() })),
  errors: z.array(z.object({ email: z.string(), error: z.string() })),
});

const nothing = z.object({});

/** The only call about credit limits. */
export const setLimits = {
  id: 'set-user-limits',
  section: '§4.1',
  summary: 'Sets or removes the credit limits of single users',
  method: 'PUT',
  path: '/api/v0/organization/usage/limits/users',
  pathParameters: nothing,
  query: nothing,
  body: { name: 'UserLimitsRequest', schema: limitsRequest },
  success: { name: 'UserLimits', schema: limitsAnswer, status: 200 },
} as const satisfies Call;

export type LimitsRequest = z.infer<typeof limitsRequest>;
export type LimitsAnswer = z.infer<typeof limitsAnswer>;
