/** Compares days that the ledger calls empty with what the platform answers now. */
import type { Comparisons } from './check-results.ts';

/**
 * Compares empty days of an endpoint, which have 0 rows, with the rows that the platform reports now (`reported`, one
 * number per day).
 */
export function compareEmptyDays(
  endpoint: string,
  days: readonly string[],
  reported: readonly number[],
): Comparisons {
  const text = `
    select
      $4::text as endpoint,
      day.usage_date,
      day.reported as expected,
      0 as actual,
      case
        when day.reported = 0 then 'ok'
        else 'contradiction'
      end as verdict,
      'rows of a day that is believed to be empty: expected as the platform reports now, at least; actual as held' as detail
    from unnest($5::date[], $6::bigint[]) as day (usage_date, reported)`;
  return { text, parameters: [endpoint, days, reported] };
}
