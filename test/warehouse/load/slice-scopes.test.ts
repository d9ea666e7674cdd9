import { describe, expect, it } from 'vitest';
import { flattenOf } from '../../../src/flatten/flatten.ts';
import type { Slice } from '../../../src/model/source.ts';
import { openRun } from '../../../src/warehouse/ledger/run-ledger.ts';
import { recordLoaded, recordUnchanged } from '../../../src/warehouse/ledger/slice-outcomes.ts';
import { scopeTextOf } from '../../../src/warehouse/load/slice-target.ts';
import { messages, reports } from '../../support/made-up-sources.ts';
import { sharedTableLoading, sliceOf } from '../../support/table-loading.ts';

const loading = await sharedTableLoading();

const message = { id: 'm', role: 'user', createdAt: 1, content: [{ type: 'a' }] };

describe('a slice is known by the rows that the tables hold', () => {
  it.each<[string, typeof messages, Slice, unknown, string]>([
    [
      'of a scope that is text',
      messages,
      sliceOf('messages', { session_id: "it's, \\ 1\n" }, "it's, \\ 1\n"),
      message,
      'fact_test_block',
    ],
    [
      'of a source without scope',
      reports,
      sliceOf('reports', {}, 'all'),
      { reportId: '0190f5a0-7c3e-7abc-8def-0123456789ab', apps: { a: {} } },
      'fact_test_app',
    ],
  ])('%s', async (_, source, slice, record, table) => {
    const { tableRows } = await loading.load(source, slice, [[record]]);
    const { tables } = flattenOf(source);
    const again = () =>
      loading.inSession(async (session) => {
        const runId = await openRun(session, 'test', {}, 'test');
        return recordUnchanged(session, loading.orgKey, runId, [{ slice, sourceHash: null }], tables);
      });
    await loading.inSession(async (session) => {
      const runId = await openRun(session, 'test', {}, 'test');
      const outcome = {
        status: 'loaded' as const,
        sourceHash: null,
        rowCount: 1,
        tableRows,
        rejectedCount: 0,
      };
      await recordLoaded(session.db, loading.orgKey, runId, [
        { slice, outcome: { ...outcome, changed: true, archived: undefined } },
      ]);
    });
    expect(await again()).toEqual(new Set([slice.key]));
    await loading.query(`delete from warehouse.${table}`);
    expect(await again()).toEqual(new Set());
  });
});

it('scopes of several columns are told apart, whatever they hold', () => {
  const text = (...values: [string, string]) =>
    scopeTextOf(sliceOf('x', { a: values[0], b: values[1] }, 'x'));
  expect(text('1:a', 'b')).not.toBe(text('1', 'a1:b'));
  expect(text('', '0:')).not.toBe(text('0:', ''));
});
