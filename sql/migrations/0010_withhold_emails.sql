-- Which archived answers may hold e-mail addresses, so that they can be taken out where nobody may store them any more.

alter table etl.raw_slice add column may_hold_emails boolean not null default true;

comment on column etl.raw_slice.may_hold_emails is 'Whether the payload may hold e-mail addresses; false where they were withheld (USER_EMAIL=none).';
