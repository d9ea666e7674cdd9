/** The `limit` of `/users` and of session messages (platform-api.md §8). */
import { z } from 'zod';

const most = 100;

const refused = ({ input }: { input?: unknown }) =>
  `limit must be an integer from 1 to ${most}, got ${JSON.stringify(String(input))}`;

/** A whole number in a query. */
export const wholeText = (error: typeof refused) =>
  z
    .string()
    .regex(/^\d{1,16}$/, { error })
    .transform(Number);

/** The page size: 1 to 100, default 20. */
export const pageSize = wholeText(refused)
  .pipe(z.int({ error: refused }).min(1, { error: refused }).max(most, { error: refused }))
  .default(20);
