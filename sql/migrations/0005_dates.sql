-- The days of the calendar.

-- The attributes are generated columns, so that none can be wrong. The names come from lists: to_char is not immutable, and
-- its names depend on lc_time.
create table warehouse.dim_date (
  date_day date primary key,
  year integer not null generated always as (extract(year from date_day)::integer) stored,
  quarter integer not null generated always as (extract(quarter from date_day)::integer) stored,
  month integer not null generated always as (extract(month from date_day)::integer) stored,
  month_name text not null generated always as (
    (array[
      'January', 'February', 'March', 'April', 'May', 'June',
      'July', 'August', 'September', 'October', 'November', 'December'
    ])[extract(month from date_day)::integer]
  ) stored,
  iso_year integer not null generated always as (extract(isoyear from date_day)::integer) stored,
  iso_week integer not null generated always as (extract(week from date_day)::integer) stored,
  day_of_month integer not null generated always as (extract(day from date_day)::integer) stored,
  day_of_week integer not null generated always as (extract(isodow from date_day)::integer) stored,
  day_name text not null generated always as (
    (array[
      'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'
    ])[extract(isodow from date_day)::integer]
  ) stored,
  is_weekend boolean not null generated always as (extract(isodow from date_day) >= 6) stored,
  week_start date not null generated always as (date_day - (extract(isodow from date_day)::integer - 1)) stored,
  month_start date not null generated always as (date_day - (extract(day from date_day)::integer - 1)) stored
);

comment on table warehouse.dim_date is 'One row per calendar day (UTC).';
comment on column warehouse.dim_date.date_day is 'The day; the key itself.';
comment on column warehouse.dim_date.year is 'Calendar year.';
comment on column warehouse.dim_date.quarter is 'Quarter of the calendar year, 1 to 4.';
comment on column warehouse.dim_date.month is 'Month of the year, 1 to 12.';
comment on column warehouse.dim_date.month_name is 'English name of the month.';
comment on column warehouse.dim_date.iso_year is 'ISO 8601 year, the one that iso_week belongs to.';
comment on column warehouse.dim_date.iso_week is 'ISO 8601 week, 1 to 53.';
comment on column warehouse.dim_date.day_of_month is 'Day of the month, 1 to 31.';
comment on column warehouse.dim_date.day_of_week is 'Day of the ISO week: 1 is Monday, 7 is Sunday.';
comment on column warehouse.dim_date.day_name is 'English name of the weekday.';
comment on column warehouse.dim_date.is_weekend is 'Whether the day is a Saturday or Sunday.';
comment on column warehouse.dim_date.week_start is 'Monday of the week of the day.';
comment on column warehouse.dim_date.month_start is 'First day of the month of the day.';

-- Every load calls this, and nearly always no day is missing: so it inserts only the missing days. `on conflict` is for two
-- loads that add the same day at the same time.
create function warehouse.ensure_dates(first date, last date)
returns void
language sql
begin atomic
  insert into warehouse.dim_date (date_day)
  select ensure_dates.first + day_offset
  from generate_series(0, ensure_dates.last - ensure_dates.first) as day_offset
  where not exists (
    select from warehouse.dim_date where dim_date.date_day = ensure_dates.first + day_offset
  )
  on conflict (date_day) do nothing;
end;

comment on function warehouse.ensure_dates(date, date) is
  'Inserts the days from first to last, both included, that dim_date lacks; writes nothing when none is missing.';

select warehouse.ensure_dates('2026-01-01', '2035-12-31');
