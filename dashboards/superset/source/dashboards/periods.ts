/** Conditions that keep charts of weeks and months readable after years. */
export const last13Months = "month_start > (now() at time zone 'utc')::date - interval '13 months'";
export const last13Weeks = "week_start > (now() at time zone 'utc')::date - interval '13 weeks'";
export const last6Months = "month_start > (now() at time zone 'utc')::date - interval '6 months'";
