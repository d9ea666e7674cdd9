-- Is everybody in the same team as when credits were summed? The view compares a number of that time with the present one.
-- The number is a sum of hashes, over all team assignments and over the users that they may name. Users who came later are
-- left out. The hash of a row is hashed again, because it is a weighted sum of the hashes of its columns: the total would
-- not change if two users swapped teams.
create or replace view etl.people_digest as
select
  o.org_key,
  users.last_user_key,
  teams.assignments,
  teams.people + users.people as people,
  coalesce(teams.people + users.summed_people = s.people, false) as is_as_summed
from warehouse.dim_org as o
left join etl.summed_people as s on s.org_key = o.org_key
cross join lateral (
  select
    count(*) as assignments,
    coalesce(
      sum(
        hashtextextended(
          hash_record_extended(
            row(a.user_id, a.user_email, a.team, a.department, a.cost_center, a.valid_from, a.valid_to), 0
          )::text,
          0
        )
      ),
      0
    ) as people
  from warehouse.person_assignment as a
  where a.org_key = o.org_key
) as teams
cross join lateral (
  select
    max(u.user_key) as last_user_key,
    coalesce(sum(u.digest), 0) as people,
    coalesce(sum(u.digest) filter (where u.user_key <= s.last_user_key), 0) as summed_people
  from (
    select
      user_key,
      hashtextextended(hash_record_extended(row(user_key, user_id, user_email), 1)::text, 1) as digest
    from warehouse.dim_user
    where org_key = o.org_key
  ) as u
) as users;

comment on view etl.people_digest is 'One row per organization: its users and their teams as one number.';
comment on column etl.people_digest.org_key is 'Organization, see warehouse.dim_org.';
comment on column etl.people_digest.last_user_key is 'The last user of the organization.';
comment on column etl.people_digest.assignments is 'Rows of warehouse.person_assignment.';
comment on column etl.people_digest.people is 'Digest of all assignments to teams and of all users.';
comment on column etl.people_digest.is_as_summed is 'Whether assignments and users are the same as when etl.summed_people was written; later users do not count.';
