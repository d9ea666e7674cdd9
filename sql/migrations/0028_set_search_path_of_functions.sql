-- Functions whose bodies are kept as text look for names in the search path of whoever calls them, be it an analyst with
-- a view. Those whose bodies are kept parsed look for nothing.
do $$
declare
  routine regprocedure;
begin
  for routine in
    select p.oid
    from pg_catalog.pg_proc as p
    join pg_catalog.pg_language as l on l.oid = p.prolang
    where p.pronamespace in (
        'etl'::regnamespace, 'warehouse'::regnamespace, 'bi'::regnamespace, 'bi_people'::regnamespace
      )
      and l.lanname in ('sql', 'plpgsql')
      and p.prosqlbody is null
      and pg_catalog.pg_has_role(p.proowner, 'usage')
  loop
    execute format('alter routine %s set search_path = pg_catalog, pg_temp', routine);
  end loop;
end
$$;
