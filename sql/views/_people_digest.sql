-- Is everybody in the same team as when credits were summed? Two sums of digests are compared, then and now: one of all
-- team assignments, one of the user columns that they are matched by. Users who came later are left out. Each row's hash
-- is hashed again, because it is a weighted sum of column hashes: otherwise two users who swap teams would leave the
-- total unchanged.
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
comment on column etl.people_digest.is_as_summed is 'Whether assignments and the users of then are those that etl.summed_people was made of.';
