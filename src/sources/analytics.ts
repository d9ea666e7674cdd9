/** Common parts of the five analytics endpoints (platform-api.md §2.5, §4.2). */
import { z } from 'zod';
import { storableText } from '../model/json.ts';
import { pageInfoOf } from '../model/paging.ts';
import type { Envelope } from '../model/source.ts';

export const analyticsPath = '/api/v1/analytics';

const paging = { field: 'meta', more: 'has_more', next: 'next_cursor', isRequired: false } as const;

/**
 * A field that rows with `group_by` have: the name of their group. Plain rows must not have it, because the figures of
 * a group would be taken for those of the day (platform-api.md §4.2, rule 1).
 */
export const noGroup = z
  .never({ error: 'expected the row of a day or a user, got the row of a group (`group_by`)' })
  .nullish();

/** The envelope `{data, meta}`. Only `/users` has more than one page. */
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
        // The id may contain NUL, which Postgres cannot store.
        organizationId: storableText(org_id),
        days: { from: start_date, to: end_date },
        ...pageInfoOf(said, paging),
      })),
  },
};
