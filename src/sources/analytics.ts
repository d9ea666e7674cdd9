/** What the five analytics endpoints have in common (platform-api.md §2.5, §4.2). */
import { z } from 'zod';
import { storableText } from '../model/json.ts';
import { followingOf } from '../model/paging.ts';
import type { Envelope } from '../model/source.ts';

/** Below it lie all analytics endpoints. */
export const analyticsPath = '/api/v1/analytics';

const paging = { field: 'meta', more: 'has_more', next: 'next_cursor', isRequired: false } as const;

/**
 * Field of every analytics row. With `group_by` a row is one of a group and has its name here; taken for the row of a day,
 * it would have the figures of one group (platform-api.md §4.2, rule 1).
 */
export const noGroup = z
  .never({ error: 'expected the row of a day or a user, got one of a group, as `group_by` gives them' })
  .nullish();

/** `{data, meta}`. Only `/users` says whether more follows. */
export const analyticsEnvelope: Envelope = {
  records: 'data',
  meta: {
    field: 'meta',
    schema: z
      .looseObject({
        org_id: z.string().min(1),
        start_date: z.string(),
        end_date: z.string(),
      })
      .transform(({ org_id, start_date, end_date, ...said }) => ({
        // A NUL may be part of it, which the warehouse cannot hold.
        organizationId: storableText(org_id),
        days: { from: start_date, to: end_date },
        ...followingOf(said, paging),
      })),
  },
};
