import fc from 'fast-check';
import { expect, it } from 'vitest';
import { storableText } from '../../../src/model/json.ts';
import { messages, reports } from '../../support/made-up-sources.ts';
import { sharedTableLoading, sliceOf } from '../../support/table-loading.ts';

const loading = await sharedTableLoading();

const awkward = fc.constantFrom(
  'null',
  'NULL',
  '\\N',
  '\\.',
  '\n\\.\n',
  '',
  ' ',
  ',',
  '\\',
  '\\\\,',
  '\\x6eull',
  '"',
  "'",
  '{}',
  '[]',
  '\t',
  '\r',
  '\n',
  '\r\n',
  '\0',
  '\ud800',
  '\udc00x',
  '😀',
  'e\u0301',
  '\u2028',
  '__proto__',
);
const text = fc.oneof(
  awkward,
  fc.string({ unit: 'binary' }),
  fc.array(fc.oneof(awkward, fc.string()), { maxLength: 4 }).map((parts) => parts.join('')),
);
const names = fc.uniqueArray(text, { minLength: 1, maxLength: 6, selector: storableText });

/** Loads messages with these ids twice, with `note` in all other places, and looks whether all is as it was. */
async function expectRoundTrip(ids: readonly string[], note: string, session: string): Promise<void> {
  const scope = storableText(session);
  const slice = sliceOf('messages', { session_id: scope }, scope);
  const records = ids.map((id) => ({
    id,
    role: 'user',
    note,
    createdAt: 1,
    content: [{ type: id, text: note, tags: [note, id] }],
  }));
  for (const table of ['fact_test_message', 'fact_test_block', 'bridge_test_tag'])
    await loading.query(`delete from warehouse.${table}`);
  const first = await loading.load(messages, slice, [records]);
  expect(first.content.rejected.kept).toEqual([]);
  const again = await loading.load(messages, slice, [records.toReversed()]);
  expect(again).toMatchObject({ inserted: 0, updated: 0, deleted: 0, tableRows: first.tableRows });
  const stored = await loading.query('select session_id, message_id, note from warehouse.fact_test_message');
  const as = (list: readonly unknown[]) => new Set(list);
  // Compared without being shown: a text of a megabyte in a message helps nobody.
  expect(as(stored.map((row) => row.message_id)).symmetricDifference(as(ids.map(storableText))).size).toBe(0);
  expect(stored.every((row) => row.session_id === scope && row.note === storableText(note))).toBe(true);
  expect(
    await loading.query(
      `
      select from warehouse.fact_test_block where block_type <> message_id
      union all select from warehouse.bridge_test_tag where tag not in (message_id, $1)`,
      [storableText(note)],
    ),
  ).toEqual([]);
}

it('text stays what it is as a value, a key and a scope, read once or again', async () => {
  await fc.assert(fc.asyncProperty(names, text, text, expectRoundTrip), { numRuns: 60 });
});

it('text of a megabyte does, too, and names as long as scripts', async () => {
  await expectRoundTrip([',\\\n'.repeat(50_000)], 'x'.repeat(1_000_000), `null${'😀'.repeat(50_000)}`);
});

it('keys of a map of objects stay what they are, beside what the objects hold', async () => {
  const all = sliceOf('reports', {}, 'all');
  const reportId = '0190f5a0-7c3e-7abc-8def-0123456789ab';
  await fc.assert(
    fc.asyncProperty(names, text, async (paths, description) => {
      const apps = Object.fromEntries(paths.map((path) => [path, { description, calls: 1 }]));
      const { content } = await loading.load(reports, all, [[{ reportId, apps }]]);
      expect(content.rejected.kept).toEqual([]);
      const stored = await loading.query('select app_path, description from warehouse.fact_test_app');
      expect(new Set(stored.map(({ app_path }) => app_path))).toEqual(new Set(paths.map(storableText)));
      expect(new Set(stored.map((row) => row.description))).toEqual(new Set([storableText(description)]));
    }),
    { numRuns: 30 },
  );
});
