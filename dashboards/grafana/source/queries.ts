/** Queries that several dashboards have. */

/** A figure by day, with a series for each value of the column `series`. */
export const byDay = (view: string, series: string, figure: string, sum = `sum(${figure})`) => `
select
  $__timeGroupAlias(usage_date, '1d'),
  ${series} as metric,
  ${sum} as ${figure}
from bi.${view}
where $__timeFilter(usage_date)
  and org_id in ($org)
group by 1, 2
order by 1, 2`;

/** New and returning users by period; `start` is the column of its first day. */
export const newAndReturning = (view: string, start: string) => `
select
  $__time(${start}),
  sum(new_users) as new_users,
  sum(returning_users) as returning_users
from bi.${view}
where $__timeFilter(${start})
  and org_id in ($org)
group by ${start}
order by ${start}`;
