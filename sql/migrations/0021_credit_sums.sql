-- Credits summed per team: without these sums a query over a year takes seconds. The sums may be out of date. They are
-- stored with the state of the data from which they were made. The views compare this with the current state, and read the
-- facts where it differs. At the end of a run the sums of such days are made again.

create table etl.summed_people (
  org_key integer primary key references warehouse.dim_org (org_key),
  last_user_key integer not null,
  people numeric not null
);

comment on table etl.summed_people is 'One row per organization with sums of credits by team: the state of teams and users from which the sums were made.';
comment on column etl.summed_people.org_key is 'Organization, see warehouse.dim_org.';
comment on column etl.summed_people.last_user_key is 'Highest user_key of the organization at that time. Later users are in no sum.';
comment on column etl.summed_people.people is 'Digest of these users and of all assignments to teams, see etl.people_digest.';

create table etl.summed_day (
  org_key integer not null references warehouse.dim_org (org_key),
  usage_date date not null,
  loaded_at timestamptz not null,
  has_sums boolean not null default true,
  primary key (org_key, usage_date)
);

comment on table etl.summed_day is 'One row per organization and UTC day whose credits were summed by team.';
comment on column etl.summed_day.org_key is 'Organization, see warehouse.dim_org.';
comment on column etl.summed_day.usage_date is 'UTC day.';
comment on column etl.summed_day.loaded_at is 'loaded_at of the day in etl.slice at that time. If it differs now, the sums are not used.';
comment on column etl.summed_day.has_sums is 'Whether the sums are stored. They are not where the day has fewer than ten facts for each sum: reading the facts takes no longer.';

-- The rows have no natural key: when a person is forgotten, two models may become one, which then has several rows, and the
-- views add them up. The table has a surrogate key, because Postgres does not change a published table without a key.
create table etl.summed_credits (
  row_id bigint generated always as identity primary key,
  org_key integer not null,
  usage_date date not null,
  model_key integer not null,
  team text,
  department text,
  cost_center text,
  credits numeric
);

create index summed_credits_day_idx on etl.summed_credits (org_key, usage_date);

comment on table etl.summed_credits is 'Credits per organization, UTC day, model and team with its department and cost center. Valid where etl.summable_day says so.';
comment on column etl.summed_credits.row_id is 'Names the row, for logical replication. Nothing refers to it.';
comment on column etl.summed_credits.team is 'Team of the users on the day; null if they have none.';
comment on column etl.summed_credits.department is 'Department of the team; null when not given.';
comment on column etl.summed_credits.cost_center is 'Cost center; null when not given.';
comment on column etl.summed_credits.credits is 'Standard Credits that these users consumed with the model.';
-- These three columns have no foreign keys, so that the tables they refer to can be emptied while there are sums.
comment on column etl.summed_credits.org_key is 'Organization, see warehouse.dim_org.';
comment on column etl.summed_credits.usage_date is 'UTC day.';
comment on column etl.summed_credits.model_key is 'Model, see warehouse.dim_model.';
