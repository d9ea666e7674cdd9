/**
 * Sources that no platform has. They use everything that the loader supports: values of all types, keys that are no
 * references, parallel lists, rows that are flagged when they vanish, and attributes of the newest reading.
 */
import { z } from 'zod';
import type { FlatSource } from '../../src/flatten/flatten.ts';
import {
  codePoints,
  codePointsOfAll,
  inherited,
  listLength,
  position,
  withParts,
} from '../../src/model/derivations.ts';
import {
  calendarDay,
  count,
  credits,
  flag,
  integer,
  name,
  ratio,
  timestamp,
  uuid,
} from '../../src/model/fields.ts';
import {
  type Attribute,
  additive,
  type Dimension,
  derived,
  reference,
  rowsOf,
  table,
  values,
} from '../../src/model/table.ts';
import { model } from '../../src/sources/dimensions.ts';

const block = z.object({
  type: name,
  text: name.nullish(),
  tags: z.array(name).nullish(),
});

/** The messages of a session, whose id is the scope. The key of a message is a text, that of a block is its index. */
export const messages: FlatSource = {
  duplicates: 'last',
  schema: z.object({
    id: name,
    role: name,
    note: name.nullish(),
    thread: uuid.nullish(),
    model: name.nullish(),
    createdAt: timestamp,
    isError: flag.nullish(),
    content: z.array(block),
    commands: z.array(z.object({ command: name.nullish(), timeout: ratio })).nullish(),
    results: z.array(z.object({ exitCode: integer.nullish(), isQuiet: flag.nullish() })).nullish(),
  }),
  root: table('fact_test_message', {
    keys: values({ message_id: 'id' }),
    columns: [
      ...values('role', 'note', { thread_id: 'thread', created_at: 'createdAt', is_error: 'isError' }),
      { ...reference(model, ['model']), derive: withParts('unknown') },
      derived('block_count', 'integer', ['content'], listLength),
      derived('char_count', 'bigint', ['content'], codePointsOfAll('text')),
    ],
    below: [
      rowsOf(
        'content',
        table('fact_test_block', {
          keys: [derived('block_index', 'integer', [], position)],
          columns: [
            ...values({ block_type: 'type' }),
            derived('char_count', 'integer', ['text'], codePoints),
            derived('role', 'text', [], inherited('role')),
          ],
          below: [
            rowsOf('tags', table('bridge_test_tag', { keys: values({ tag: 'value' }) }), {
              mayBeAbsent: true,
            }),
          ],
        }),
      ),
      rowsOf(
        ['commands', 'results'],
        table('fact_test_result', {
          keys: [derived('result_index', 'integer', [], position)],
          columns: values('command', 'timeout', { exit_code: 'exitCode', is_quiet: 'isQuiet' }),
        }),
        { mayBeAbsent: true },
      ),
    ],
  }),
};

/** All reports of an organization, each with a map of objects. Reports that are no longer listed are flagged. */
export const reports: FlatSource = {
  duplicates: 'last',
  schema: z.object({
    reportId: uuid,
    createdAt: timestamp.nullish(),
    model: z.object({ id: name.nullish(), effort: name.nullish() }).nullish(),
    isLocal: flag.nullish(),
    day: calendarDay.nullish(),
    calls: count,
    cost: credits,
    share: ratio,
    offset: integer.nullish(),
    apps: z.record(name, z.object({ description: name.nullish(), calls: count })),
  }),
  root: table('fact_test_report', {
    keys: values({ report_id: 'reportId' }),
    columns: [
      ...values({ created_at: 'createdAt', model_id: 'model.id', is_local: 'isLocal', day: 'day' }),
      ...additive('calls', 'cost'),
      ...values('share', { offset_hours: 'offset' }),
    ],
    below: [
      rowsOf(
        'apps',
        table('fact_test_app', {
          keys: values({ app_path: 'key' }),
          columns: [...values('description'), ...additive('calls')],
        }),
      ),
    ],
    vanished: { is_listed: false },
  }),
};

function seen(column: string, type: Attribute['type'], field: string): Attribute {
  return { column, fields: [field], type, whenDuplicate: 'last', follows: 'seen' };
}

/** A dimension whose attributes are those of the newest reading. */
export const computer: Dimension = {
  table: 'dim_test_computer',
  key: 'computer_key',
  naturalKey: ['computer_id'],
  perOrganization: true,
  attributes: [
    seen('computer_name', 'text', 'name'),
    seen('created_at', 'timestamptz', 'createdAt'),
    seen('kind', 'text', 'source.kind'),
  ],
};

/** A snapshot of computers. */
export const computers: FlatSource = {
  duplicates: 'last',
  schema: z.object({
    id: name,
    name: name.nullish(),
    createdAt: timestamp.nullish(),
    source: z.object({ kind: name.nullish() }).nullish(),
  }),
  root: table('fact_test_computer', { keys: [reference(computer, ['id'])] }),
};

const digest = (column: string) =>
  `${column}_digest bytea not null generated always as (warehouse.natural_key_digest(${column})) stored`;

/** Creates the tables of these sources. Unique keys use digests, because names may have any length. */
export const madeUpTables = `
  create table warehouse.fact_test_message (
    org_key integer not null, session_id text not null, message_id text not null, role text, note text,
    thread_id uuid, created_at timestamptz, is_error boolean, model_key integer, block_count integer, char_count bigint,
    loaded_at timestamptz not null default now(), ${digest('session_id')}, ${digest('message_id')},
    primary key (org_key, session_id_digest, message_id_digest)
  );
  create table warehouse.fact_test_block (
    org_key integer not null, session_id text not null, message_id text not null, block_index integer not null,
    block_type text, char_count integer, role text,
    loaded_at timestamptz not null default now(), ${digest('session_id')}, ${digest('message_id')},
    primary key (org_key, session_id_digest, message_id_digest, block_index)
  );
  create table warehouse.bridge_test_tag (
    org_key integer not null, session_id text not null, message_id text not null, block_index integer not null,
    tag text not null,
    loaded_at timestamptz not null default now(), ${digest('session_id')}, ${digest('message_id')}, ${digest('tag')},
    primary key (org_key, session_id_digest, message_id_digest, block_index, tag_digest)
  );
  create table warehouse.fact_test_result (
    org_key integer not null, session_id text not null, message_id text not null, result_index integer not null,
    command text, timeout double precision, exit_code integer, is_quiet boolean,
    loaded_at timestamptz not null default now(), ${digest('session_id')}, ${digest('message_id')},
    primary key (org_key, session_id_digest, message_id_digest, result_index)
  );
  create table warehouse.fact_test_report (
    org_key integer not null, report_id uuid not null, created_at timestamptz, model_id text, is_local boolean,
    day date, calls bigint, cost numeric, share double precision, offset_hours integer,
    is_listed boolean not null default true, loaded_at timestamptz not null default now(),
    primary key (org_key, report_id)
  );
  create table warehouse.fact_test_app (
    org_key integer not null, report_id uuid not null, app_path text not null, description text, calls bigint,
    loaded_at timestamptz not null default now(), ${digest('app_path')},
    primary key (org_key, report_id, app_path_digest)
  );
  create table warehouse.dim_test_computer (
    computer_key integer generated by default as identity primary key, org_key integer not null,
    computer_id text not null, computer_name text, created_at timestamptz, kind text, seen_date date,
    seen_endpoint text,
    natural_key_digest bytea not null generated always as (warehouse.natural_key_digest(computer_id)) stored,
    unique (org_key, natural_key_digest)
  );
  create table warehouse.fact_test_computer (
    org_key integer not null, snapshot_date date not null, computer_key integer not null,
    loaded_at timestamptz not null default now(),
    primary key (org_key, snapshot_date, computer_key)
  )`;
