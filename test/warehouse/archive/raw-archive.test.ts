import { describe, expect, it } from 'vitest';
import { addDays, type Day } from '../../../src/model/day.ts';
import { scanItems } from '../../../src/model/json-scan.ts';
import { compressSegments, segmentsOf } from '../../../src/model/record-chunk.ts';
import { type Slice, sliceOf } from '../../../src/model/source.ts';
import {
  archivedSize,
  archivedSlices,
  deleteRawSlices,
  type ExpiredArchive,
  expireRawSlices,
  readRawSlice,
  storeRawSlices,
} from '../../../src/warehouse/archive/raw-archive.ts';
import { withSession, withTransaction } from '../../../src/warehouse/connection/connection.ts';
import { firstPosition, type RowPosition } from '../../../src/warehouse/connection/one-pass.ts';
import { organizationKey } from '../../../src/warehouse/ledger/organization.ts';
import { sampleDay, sampleRows, sourceOf } from '../../support/samples.ts';
import { sharedSliceLoading } from '../../support/slice-loading.ts';

const loading = await sharedSliceLoading();

/** The archived records of a slice as they were written, by chunk. */
function archived(slice: Slice): Promise<string[]> {
  return withSession(loading.pool, async ({ db }) => {
    const chunks: string[] = [];
    for await (const runs of readRawSlice(db, loading.context.orgKey, slice))
      chunks.push(runs.map(({ bytes }) => bytes.toString()).join());
    return chunks;
  });
}

/** One chunk for the records of each text, which is a JSON array. */
async function* chunksOf(texts: readonly string[]) {
  for (const text of texts) {
    const bytes = Buffer.from(text);
    yield compressSegments(segmentsOf(bytes, [...scanItems(bytes, 0)]));
  }
}

/** Stores slices as chunks; resolves to how much of each. */
function storeAll(
  slices: readonly (readonly [Slice, readonly string[]])[],
  { orgKey, runId } = loading.context,
) {
  const toStore = slices.map(([slice, texts]) => ({ slice, chunks: chunksOf(texts), isRewritten: false }));
  return withTransaction(loading.pool, ({ db }) => storeRawSlices(db, orgKey, runId, true, toStore));
}

const store = (slice: Slice, texts: readonly string[]) => storeAll([[slice, texts]]);
const sizeOf = (slice: Slice) =>
  withSession(loading.pool, ({ db }) => archivedSize(db, loading.context.orgKey, slice));

/** Lets go of what is older than ten days before the samples' day; says how many chunks went. */
async function expire(): Promise<number> {
  return (await expireBatch(firstPosition, 100)).chunks;
}

/** The same from a position on, for so many chunks. */
function expireBatch(position: RowPosition, mostChunks: number): Promise<ExpiredArchive> {
  const { orgKey } = loading.context;
  const first = addDays(sampleDay, -10);
  return withTransaction(loading.pool, ({ db }) => expireRawSlices(db, orgKey, first, position, mostChunks));
}

const sliceOfDay = (name: string, day: Day = sampleDay) => sliceOf(sourceOf(name), day);

describe('the raw archive', () => {
  it('gives back what the platform sent, digit by digit and character by character', async () => {
    const record = '{"n":12345678901234567890.5,"s":"\\u0000 \\ud800 é 😀 \\\\N", "e":1E3}';
    await store(sliceOfDay('tokens'), [`[${record}]`]);
    expect(await archived(sliceOfDay('tokens'))).toEqual([record]);
  });

  it('holds chunks in their order, more than one statement stores, of several slices at once', async () => {
    const texts = Array.from({ length: 70 }, (_, index) => `[{"index":${index}},${index}]`);
    const [first, second, none] = [
      sliceOfDay('tools'),
      sliceOfDay('tools', addDays(sampleDay, 1)),
      sliceOfDay('users'),
    ];
    const sizes = await storeAll([
      [first, texts],
      [none, []],
      [second, texts.slice(0, 3)],
    ]);
    expect([sizes.get(first), sizes.get(none), sizes.get(second)]).toEqual([
      { chunks: 70, rows: 140 },
      { chunks: 0, rows: 0 },
      { chunks: 3, rows: 6 },
    ]);
    expect(await archived(first)).toEqual(texts.map((text) => text.slice(1, -1)));
    expect(await archived(second)).toHaveLength(3);
    expect([await sizeOf(first), await sizeOf(none)]).toMatchObject([
      { chunks: 70, rows: 140 },
      { chunks: 0, rows: 0 },
    ]);
  });

  it('holds a tenth of the bytes that came', async () => {
    await store(sliceOfDay('tools', addDays(sampleDay, 2)), [
      JSON.stringify(Array(50).fill('x'.repeat(10_000))),
    ]);
    const [size] = await loading.query(
      'select length(payload) as stored, raw_bytes as raw from etl.raw_slice order by raw_bytes desc limit 1',
    );
    expect(Number(size?.raw)).toBeGreaterThan(500_000);
    expect(Number(size?.stored) * 10).toBeLessThan(Number(size?.raw));
  });

  it('yields nothing for a slice that is not kept', async () => {
    expect(await archived(sliceOfDay('activity'))).toEqual([]);
    expect(await sizeOf(sliceOfDay('activity'))).toMatchObject({ chunks: 0, rows: 0 });
  });

  it('holds the newest answer of a slice, and only that', async () => {
    const rows = await sampleRows('users');
    const { orgKey } = loading.context;
    const keys = () => withSession(loading.pool, ({ db }) => archivedSlices(db, orgKey));
    await loading.load('users', rows);
    await loading.load('users', rows.slice(0, 1));
    expect(await archived(sliceOfDay('users'))).toEqual([JSON.stringify(rows[0])]);
    expect(await keys()).toContainEqual({ endpoint: 'users', key: sampleDay });
    await withSession(loading.pool, ({ db }) => deleteRawSlices(db, orgKey, [sliceOfDay('users')]));
    expect(await archived(sliceOfDay('users'))).toEqual([]);
    expect(await keys()).not.toContainEqual({ endpoint: 'users', key: sampleDay });
    expect(await keys()).toContainEqual({ endpoint: 'tools', key: sampleDay });
  });

  it('keeps as many days as it is told', async () => {
    const [old, kept] = [
      sliceOfDay('activity', addDays(sampleDay, -11)),
      sliceOfDay('activity', addDays(sampleDay, -10)),
    ];
    await store(old, ['[1]']);
    await store(kept, ['[2]']);
    expect(await expire()).toBe(1);
    expect([await archived(old), await archived(kept)]).toEqual([[], ['2']]);
  });

  it('lets no more slices go at a time than it is told, each of them whole', async () => {
    for (const days of [11, 12, 13])
      await store(sliceOfDay('activity', addDays(sampleDay, -days)), ['[1]', '[2]', '[3]']);
    const batches: number[] = [];
    for (let position: RowPosition | undefined = firstPosition; position !== undefined; ) {
      const batch: ExpiredArchive = await expireBatch(position, 2);
      batches.push(batch.chunks);
      position = batch.next;
    }
    expect(batches).toEqual([3, 3, 3, 0]);
  });

  it('keeps a slice without a day for so long after its last answer', async () => {
    const slices = ['read long ago', 'read lately'].map(
      (key): Slice => ({ endpoint: 'list', key, scope: {}, usageDate: null }),
    );
    for (const slice of slices) await store(slice, ['[1]']);
    for (const [index, { key }] of slices.entries())
      await loading.query(
        `insert into etl.slice (org_key, endpoint, slice_key, status, fetched_at)
         values ($1, 'list', $2, 'loaded', $3::date - $4::integer + time '12:00' at time zone 'UTC')`,
        [loading.context.orgKey, key, sampleDay, 11 - index],
      );
    expect(await expire()).toBe(1);
    expect(await Promise.all(slices.map(archived))).toEqual([[], ['1']]);
  });

  it('keeps what is archived of another organization, however old', async () => {
    const another = await withSession(loading.pool, ({ db }) => organizationKey(db, 'org_another'));
    const old = sliceOfDay('activity', addDays(sampleDay, -11));
    await storeAll([[old, ['[1]']]], { ...loading.context, orgKey: another });
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
