import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addDays, type Day } from '../../src/model/day.ts';
import { dailySlice, type Slice } from '../../src/model/source.ts';
import {
  createRawSlice,
  deleteRawSlice,
  expireRawSlices,
  readRawSlice,
  storeRawChunks,
} from '../../src/warehouse/archive/raw-archive.ts';
import { withSession, withTransaction } from '../../src/warehouse/connection/connection.ts';
import { organizationKey } from '../../src/warehouse/ledger/organization.ts';
import { sampleDay, sampleRows, sourceOf } from '../support/samples.ts';
import { type SliceLoading, startSliceLoading } from '../support/slice-loading.ts';

let loading: SliceLoading;

beforeAll(async () => {
  loading = await startSliceLoading();
});

afterAll(() => loading.close());

/** The archived rows of a slice as JSON text, which also shows numbers of many digits, by chunk. */
function archived(slice: Slice): Promise<string[]> {
  return withSession(loading.pool, async ({ db }) => {
    const chunks: string[] = [];
    for await (const { rows } of readRawSlice(db, loading.context.orgKey, slice))
      chunks.push(JSON.stringify(rows));
    return chunks;
  });
}

async function store(
  slice: Slice,
  texts: readonly string[],
  { orgKey } = { orgKey: loading.context.orgKey },
): Promise<number> {
  const raw = createRawSlice();
  for (const text of texts) raw.add(Buffer.from(text), 1);
  const chunks = await raw.takeChunks();
  const { runId } = loading.context;
  await withTransaction(loading.pool, ({ db }) => storeRawChunks(db, orgKey, slice, runId, 0, chunks));
  return chunks.length;
}

/** Lets go of what is older than ten days before the samples' day; says how many chunks went. */
function expire(): Promise<number> {
  const { orgKey } = loading.context;
  return withSession(loading.pool, ({ db }) => expireRawSlices(db, orgKey, sampleDay, 10));
}

const sliceOf = (name: string, day: Day = sampleDay) => dailySlice(sourceOf(name), day);

describe('the raw archive', () => {
  it('gives back what the platform sent, digit by digit and character by character', async () => {
    const data = '[{"n":12345678901234567890.5,"s":"\\u0000 \\ud800 é 😀 \\\\N"}]';
    await store(sliceOf('tokens'), [`{"data":${data},"meta":{}}`]);
    expect(await archived(sliceOf('tokens'))).toEqual([data]);
  });

  it('is compressed, in chunks of limited size, in the order in which they came', async () => {
    const texts = Array.from({ length: 50 }, (_, index) =>
      JSON.stringify({ data: [{ index, filler: 'x'.repeat(100_000) }] }),
    );
    expect(await store(sliceOf('tools'), texts)).toBeGreaterThan(3);
    const rows = (await archived(sliceOf('tools'))).flatMap((text) => JSON.parse(text));
    expect(rows.map(({ index }) => index)).toEqual(texts.map((_, index) => index));
    const [size] =
      await loading.query(`select sum(length(payload))::int as stored, sum(raw_bytes)::int as raw,
      sum(row_count)::int as rows from etl.raw_slice where endpoint = 'tools'`);
    expect(size).toMatchObject({ rows: 50 });
    expect(Number(size?.stored) * 10).toBeLessThan(Number(size?.raw));
  });

  it('yields nothing for a slice that is not kept', async () => {
    expect(await archived(sliceOf('activity'))).toEqual([]);
  });

  it('holds the newest answer of a slice, and only that', async () => {
    const rows = await sampleRows('users');
    await loading.load('users', rows);
    await loading.load('users', rows.slice(0, 1));
    expect(await archived(sliceOf('users'))).toEqual([JSON.stringify(rows.slice(0, 1))]);
    await withSession(loading.pool, ({ db }) => deleteRawSlice(db, loading.context.orgKey, sliceOf('users')));
    expect(await archived(sliceOf('users'))).toEqual([]);
  });

  it('keeps as many days as it is told', async () => {
    const [old, kept] = [
      sliceOf('activity', addDays(sampleDay, -11)),
      sliceOf('activity', addDays(sampleDay, -10)),
    ];
    await store(old, ['{"data":[1]}']);
    await store(kept, ['{"data":[2]}']);
    expect(await expire()).toBe(1);
    expect([await archived(old), await archived(kept)]).toEqual([[], ['[2]']]);
  });

  it('keeps what is archived of another organization, however old', async () => {
    const another = await withSession(loading.pool, ({ db }) => organizationKey(db, 'org_another'));
    const old = sliceOf('activity', addDays(sampleDay, -11));
    await store(old, ['{"data":[1]}'], { orgKey: another });
    expect(await expire()).toBe(0);
    expect(await loading.query('select from etl.raw_slice where org_key = $1', [another])).toHaveLength(1);
  });

  it('is no longer counted in the ledger once it has expired', async () => {
    await loading.load('productivity', await sampleRows('productivity'));
    await loading.load('tools', await sampleRows('tools'));
    await loading.query('update etl.slice set raw_chunks = 1, raw_rows = 1');
    await loading.query("update etl.raw_slice set usage_date = '2026-01-14' where endpoint = 'productivity'");
    await expire();
    expect(
      await loading.query(
        `select endpoint, raw_chunks, raw_rows::int from etl.slice
         where endpoint in ('productivity', 'tools') order by 1`,
      ),
    ).toEqual([
      { endpoint: 'productivity', raw_chunks: null, raw_rows: null },
      { endpoint: 'tools', raw_chunks: 1, raw_rows: 1 },
    ]);
  });
});
