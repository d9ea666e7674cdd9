import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fieldsOf, itemsOf } from '../support/exact-json.ts';
import {
  expectedEmails,
  expectedWarehouse,
  type Payload,
  tableNames,
  type Warehouse,
} from '../support/expected-warehouse.ts';
import { type Installation, install, type Loaded, organization } from '../support/installation.ts';
import { addQuirks, oddNames, quirkDays } from '../support/quirky-payloads.ts';
import { storedEmails, storedWarehouse } from '../support/stored-warehouse.ts';

const [from, to] = ['2026-01-14', '2026-02-12'];

describe('a backfill of thirty days with everything odd that the platform may report', () => {
  let installation: Installation;
  let loaded: Loaded;
  let payloads: Payload[];
  let expected: Warehouse;
  let stored: Warehouse;

  beforeAll(async () => {
    // A user of the first page comes again, changed, on the second: only possible while the day is still counted.
    const again = { tool_calls: 987_654, languages: ['COBOL'] };
    let doubled: unknown;
    installation = await install({
      users: 30,
      fault: ({ path, query }) => {
        if (!path.endsWith('/users') || query.startDate !== quirkDays.doubledUser) return undefined;
        return {
          kind: 'mutate',
          mutate: (envelope) => {
            const { data, meta } = fieldsOf(envelope);
            const isFirst = query.cursor === undefined;
            const served = doubled === undefined ? itemsOf(data) : [doubled, ...itemsOf(data)];
            doubled = isFirst ? { ...fieldsOf(itemsOf(data)[0]), ...again } : undefined;
            return { data: served, meta };
          },
        };
      },
    });
    addQuirks(installation.dataset);
    payloads = installation
      .payloads(from, to)
      .map((payload) =>
        payload.endpoint === 'users' && payload.day === quirkDays.doubledUser
          ? { ...payload, rows: [...payload.rows, { ...fieldsOf(payload.rows[0]), ...again }] }
          : payload,
      );
    loaded = await installation.load(`backfill --from ${from} --to ${to}`, { PAGE_SIZE: '2' });
    expected = expectedWarehouse(organization, payloads);
    stored = await storedWarehouse(installation.database.pool);
  });

  afterAll(() => installation[Symbol.asyncDispose]());

  test('succeeds and reports every slice as loaded', () => {
    expect(loaded).toMatchObject({ code: 0, summary: { status: 'succeeded' } });
    expect(loaded.summary.slices).toMatchObject({ planned: 150, failed: 0, pending: 0 });
    expect(loaded.summary.slices.loaded + loaded.summary.slices.empty).toBe(150);
    const rows = payloads.reduce((sum, payload) => sum + payload.rows.length, 0);
    expect(loaded.summary.rows).toMatchObject({ read: rows, updated: 0, deleted: 0, rejected: 0 });
    const written = Object.values(stored).reduce((sum, ofTable) => sum + ofTable.length, 0);
    expect(loaded.summary.rows.inserted).toBe(written);
  });

  test.each(tableNames)('fills %s with exactly what the payloads say', (name) => {
    expect(expected[name]?.length).toBeGreaterThan(0);
    expect(stored[name]).toEqual(expected[name]);
  });

  test('knows the e-mail of every user that has ever reported one', async () => {
    expect(await storedEmails(installation.database.pool)).toEqual(expectedEmails(payloads));
  });

  test('counts what was unexpected in the drift ledger', async () => {
    const { rows } = await installation.database.pool.query<{ endpoint: string; kind: string; path: string }>(
      'select endpoint, kind, path from etl.drift where occurrences > 0 order by 1, 2, 3',
    );
    const found = rows.map(({ endpoint, kind, path }) => `${endpoint} ${kind} ${path}`);
    expect(found).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^tokens duplicate_key /),
        expect.stringMatching(/^tools duplicate_key /),
        expect.stringMatching(/^users duplicate_key /),
        expect.stringMatching(/^tools replaced_character /),
        expect.stringMatching(/^users replaced_character /),
        expect.stringMatching(/^activity replaced_character/),
        'tools missing_field by_tool',
        'tools missing_field skills_by_name',
        'tools missing_field tool_calls',
        'tools unknown_field planet',
        'tools unknown_field slash_commands_by_name[].origin',
        'users missing_field languages',
        'users unknown_field future',
      ]),
    );
  });

  test('gives MCP servers that differ by case and spaces only one canonical name', async () => {
    const { rows } = await installation.database.pool.query<{ server_name: string; canonical_name: string }>(
      "select server_name, canonical_name from warehouse.dim_mcp_server where server_name ilike '%github%' order by 1",
    );
    expect(rows.map(({ server_name }) => server_name).sort()).toEqual([' github', 'GitHub', 'github']);
    expect(new Set(rows.map(({ canonical_name }) => canonical_name))).toEqual(new Set(['github']));
  });

  test('marks malformed tool names as parsing artifacts and real ones not', async () => {
    const { rows } = await installation.database.pool.query<{
      tool_name: string;
      is_parsing_artifact: boolean;
    }>('select tool_name, is_parsing_artifact from warehouse.dim_tool');
    const marks = new Map(rows.map((row) => [row.tool_name, row.is_parsing_artifact]));
    expect(marks.get('Read')).toBe(false);
    expect(marks.get(oddNames.find((name) => name.startsWith('Read</')) ?? '')).toBe(true);
    expect(marks.get('')).toBe(true);
  });
});
