/** The credit limits of single users: what is sent to set them, and what is answered (platform-api.md §2.4, §4.1). */
import { z } from 'zod';

/** The smallest limit that may be asked for. */
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

/** The answer: whose limit is what now, and whose could not be changed. */
export const limitsAnswer = z.object({
  updated: z.array(z.object({ email, limit: z.int().min(0).nullable() })),
  errors: z.array(z.object({ email: z.string(), error: z.string() })),
});

export type LimitsRequest = z.infer<typeof limitsRequest>;
export type LimitsAnswer = z.infer<typeof limitsAnswer>;
