-- What the users of each team consumed, summed once: a year of it is asked for in seconds otherwise. Nothing has to keep
-- these sums up to date: beside them stands what they were made of, the views compare it with what there is now, and
-- where it differs they take the facts. The end of a run makes the sums of such days anew.

create table etl.summed_people (
  org_key integer primary key references warehouse.dim_org (org_key),
  last_user_key integer not null,
  people numeric not null
);

comment on table etl.summed_people is 'One row per organization of which credits are summed by team: the teams and the users that this was done with.';
comment on column etl.summed_people.org_key is 'Organization, see warehouse.dim_org.';
comment on column etl.summed_people.last_user_key is 'The last user of the organization then. Whoever came later is in no sum.';
comment on column etl.summed_people.people is 'Digest of these users and of all assignments to teams, see etl.people_digest.';

create table etl.summed_day (
  org_key integer not null references warehouse.dim_org (org_key),
  usage_date date not null,
  loaded_at timestamptz not null,
  primary key (org_key, usage_date)
);

comment on table etl.summed_day is 'One row per organization and UTC day of which credits are summed by team.';
comment on column etl.summed_day.org_key is 'Organization, see warehouse.dim_org.';
comment on column etl.summed_day.usage_date is 'UTC day.';
comment on column etl.summed_day.loaded_at is 'When the rows of the day had changed last, as etl.slice said then: with another time there, the sums are not looked at.';

-- The key is no natural one: two models may become one when a person is forgotten, and then these rows are added up. A
-- table without a key stops every change of its rows as soon as a publication has it, and one `for all tables` does.
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
comment on column etl.summed_credits.team is 'Team of the users on the day; null: none.';
comment on column etl.summed_credits.department is 'Department of the team; null when not given.';
comment on column etl.summed_credits.cost_center is 'Cost center that pays; null when not given.';
comment on column etl.summed_credits.credits is 'Standard Credits that these users consumed with the model.';
-- No foreign key: who empties the star need not know of these sums.
comment on column etl.summed_credits.org_key is 'Organization, see warehouse.dim_org.';
comment on column etl.summed_credits.usage_date is 'UTC day.';
comment on column etl.summed_credits.model_key is 'Model, see warehouse.dim_model.';
