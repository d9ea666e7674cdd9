/** What the five analytics endpoints have in common (platform-api.md §2.5, §4.2). */
import { z } from 'zod';
import { storableText } from '../model/json.ts';
import type { Envelope } from '../model/source.ts';

/** Below it lie all analytics endpoints. */
export const analyticsPath = '/api/v1/analytics';

/** `{data, meta}`. Only `/users` says whether more follows. */
export const analyticsEnvelope: Envelope = {
  records: 'data',
  meta: {
    field: 'meta',
    schema: z
      .object({
        org_id: z.string().min(1),
        start_date: z.string(),
        end_date: z.string(),
        has_more: z.boolean().nullish(),
        next_cursor: z.string().nullish(),
      })
      .refine(({ has_more, next_cursor }) => has_more !== true || (next_cursor ?? '') !== '', {
        error: 'the answer says has_more, but names no next_cursor',
      })
      .transform(({ org_id, start_date, end_date, has_more, next_cursor }) => ({
        // A NUL may be part of it, which the warehouse cannot hold.
        organizationId: storableText(org_id),
        days: { from: start_date, to: end_date },
        cursor: has_more === true ? (next_cursor ?? undefined) : undefined,
      })),
  },
};
