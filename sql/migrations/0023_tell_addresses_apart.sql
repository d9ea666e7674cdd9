-- Whom a forgotten address means. What was kept before does not tell: an address counts as asked for where the same
-- spelling was kept as a user id, too, and otherwise as one that is withheld and draws nobody in.
alter table etl.forgotten_name
  drop constraint forgotten_name_kind_check,
  add constraint forgotten_name_kind_check check (
    kind in ('user_id', 'email', 'asked_email', 'sole_email', 'shared_email', 'new_email')
  );

comment on table etl.forgotten_name is 'One row per name of a person who is forgotten, and meaning: an e-mail, or a user id.';
comment on column etl.forgotten_name.kind is 'user_id; asked_email: whoever has it is forgotten; sole_email: nobody else ever had it, and it is withheld from whoever has it later; shared_email: others have it, too, and keep it; new_email: not known yet which of the two; email: kept by an earlier version. E-mails in lower case, of any organization.';

-- An empty address is none, and must not stand in the way of one.
update warehouse.dim_user
set
  user_email = null,
  user_email_date = null,
  user_email_endpoint = null
where user_email !~ '[^[:space:]]';
