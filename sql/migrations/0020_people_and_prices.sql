-- Data that the platform does not report and that is imported from files: the teams of persons, and the prices of credits.

create table warehouse.person_assignment (
  org_key integer not null references warehouse.dim_org (org_key),
  user_id text,
  user_email text,
  team text not null,
  department text,
  cost_center text,
  valid_from date not null,
  valid_to date,
  team_shown text not null generated always as (warehouse.shown_text(team)) stored,
  department_shown text generated always as (warehouse.shown_text(department)) stored,
  cost_center_shown text generated always as (warehouse.shown_text(cost_center)) stored,
  person_digest bytea not null generated always as (
    case
      when user_id is not null then warehouse.natural_key_digest('user_id', user_id)
      else warehouse.natural_key_digest('user_email', lower(user_email))
    end
  ) stored,
  primary key (org_key, person_digest, valid_from),
  check (user_id is not null or user_email is not null),
  check (valid_to >= valid_from)
);

call etl.add_row_id('warehouse.person_assignment');

comment on table warehouse.person_assignment is 'One row per organization, person and period: the team of the person in that period (slowly changing, type 2). Periods of a person do not overlap. A person may be missing in dim_user.';
comment on column warehouse.person_assignment.org_key is 'Organization, see dim_org.';
comment on column warehouse.person_assignment.user_id is 'User id of the person, see dim_user; null if the person is named by e-mail.';
comment on column warehouse.person_assignment.user_email is 'E-mail of the person, in upper or lower case: it means the users with this e-mail in dim_user, for all days. Assignments by user id come first: a user who has one is not looked up by e-mail. Personal data.';
comment on column warehouse.person_assignment.team is 'Team of the person.';
comment on column warehouse.person_assignment.department is 'Department of the team; null when not given.';
comment on column warehouse.person_assignment.cost_center is 'Cost center; null when not given.';
comment on column warehouse.person_assignment.valid_from is 'First UTC day of the period.';
comment on column warehouse.person_assignment.valid_to is 'Last UTC day of the period, included; null while it is open.';
comment on column warehouse.person_assignment.person_digest is 'Digest of the user id or e-mail, see warehouse.natural_key_digest.';
call etl.describe_generated_columns('warehouse.person_assignment');

create table warehouse.credit_price (
  model_id text not null,
  model_tier text not null,
  price_per_million_credits numeric not null,
  currency text not null,
  valid_from date not null,
  natural_key_digest bytea not null generated always as (
    warehouse.natural_key_digest(model_id, model_tier)
  ) stored,
  primary key (natural_key_digest, valid_from),
  check (price_per_million_credits >= 0),
  check (currency ~ '^[A-Z]{3}$')
);

call etl.add_row_id('warehouse.credit_price');

comment on table warehouse.credit_price is 'One row per model, tier and first day of a price. For a day the latest price that is not after it applies, and a price of the tier itself comes before a price of *. The whole table has one currency.';
comment on column warehouse.credit_price.model_id is 'Model id, see dim_model.';
comment on column warehouse.credit_price.model_tier is 'Tier, see dim_model; * stands for every tier without its own price.';
comment on column warehouse.credit_price.price_per_million_credits is 'Price of 1,000,000 Standard Credits, in the currency.';
comment on column warehouse.credit_price.currency is 'Currency, three capital letters (ISO 4217).';
comment on column warehouse.credit_price.valid_from is 'First UTC day of the price.';
comment on column warehouse.credit_price.natural_key_digest is 'Digest of model_id and model_tier, see warehouse.natural_key_digest.';
