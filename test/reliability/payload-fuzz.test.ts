import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseRecords } from '../../src/flatten/parse-records.ts';
import { createSliceContent, type Misplaced } from '../../src/flatten/slice-content.ts';
import { type Day, day, daysOf } from '../../src/model/day.ts';
import { TooManyRejectedError } from '../../src/model/errors.ts';
import { scanItems } from '../../src/model/json-scan.ts';
import { segmentsOf } from '../../src/model/record-chunk.ts';
import { createSanitizer } from '../../src/model/sanitize.ts';
import { generatedDataset } from '../../src/simulator/dataset.ts';
import { createGenerator } from '../../src/simulator/generate.ts';
import { withSession } from '../../src/warehouse/connection/connection.ts';
import { ensureDates } from '../../src/warehouse/ledger/organization.ts';
import { exactJson, WrittenNumber, writtenAs } from '../support/exact-json.ts';
import { expectedWarehouse } from '../support/expected-warehouse.ts';
import { endpoints } from '../support/installation.ts';
import { sourceOf } from '../support/samples.ts';
import { receiptOf, type SliceLoading, startSliceLoading } from '../support/slice-loading.ts';
import { storedWarehouse } from '../support/stored-warehouse.ts';
import { judge, shapes } from './payload-judge.ts';
import { type Mutation, mutated, mutation } from './payload-mutations.ts';
import { randomTest } from './random-test.ts';

const of = day('2026-01-20');
/** Days whose slices are damaged together, so that the warehouse is read once for many of them. */
const days = daysOf({ from: of, to: day('2026-01-24') });
const slices = days.flatMap((each) => endpoints.map((endpoint) => ({ endpoint, day: each })));
const dataset = generatedDataset(createGenerator({ seed: 3, users: 6, from: day('2026-01-14') }));
const option = { file: 'payload-fuzz', timeoutMs: 300_000 };
const flattened = randomTest('USAGE_ETL_PAYLOADS', { ...option, count: 6_000, seed: 20260114 });
const stored = randomTest('USAGE_ETL_PAYLOADS', { ...option, count: 300, seed: 4711 });

/** What the program makes of records that came as one JSON array. */
function gathered(endpoint: string, text: string, asked: Day) {
  const content = createSliceContent(sourceOf(endpoint), createSanitizer([]));
  const bytes = Buffer.from(text);
  for (const run of segmentsOf(bytes, [...scanItems(bytes, 0)]))
    for (const parsed of parseRecords(run)) content.add(parsed, (record) => misplaced(record, asked));
  const { rows } = content.takeRows();
  return { rows, rejected: content.rejected.kept, drift: content.drift };
}

/** As the program judges a record of the day that was asked for. */
function misplaced(record: unknown, asked: Day): Misplaced | undefined {
  const { date }: { date?: unknown } = Object(record);
  return date === asked
    ? undefined
    : { reason: `expected a row of ${asked}, got ${JSON.stringify(date)}`, isOfAnother: false };
}

/** Numbers again in the digits they had. */
function writeNumbers(_key: string, value: unknown): unknown {
  return value instanceof WrittenNumber ? writtenAs(value.text) : value;
}

/** A damaged payload of a slice, and what is left of it when all that cannot be loaded is taken out. */
function damage(endpoint: string, asked: Day, mutations: readonly Mutation[]) {
  const rows = dataset.rows(endpoint, asked);
  const shape = shapes[endpoint];
  if (shape === undefined) throw new RangeError(`there is no endpoint ${endpoint}`);
  const damaged = mutations.reduce((row, each) => mutated(row, each), rows[0]);
  const { good, bad } = judge(exactJson(damaged), shape);
  const isOfDay = good?.date === asked;
  return {
    text: JSON.stringify([damaged, ...rows.slice(1)]),
    bad: isOfDay ? bad : 1,
    goodText: JSON.stringify(isOfDay ? [good, ...rows.slice(1)] : rows.slice(1), writeNumbers),
  };
}

const anyEndpoint = fc.constantFrom(...endpoints);
const someMutations = fc.array(mutation, { minLength: 1, maxLength: 3 });

test(`of ${flattened.count} damaged payloads what is good is loaded, and all of the rest is rejected`, {
  timeout: flattened.timeoutMs,
}, ({ onTestFailed }) => {
  onTestFailed(flattened.tellHowToRepeat);
  const counts = { bad: 0, good: 0 };
  fc.assert(
    fc.property(anyEndpoint, someMutations, (endpoint, mutations) => {
      const { text, bad, goodText } = damage(endpoint, of, mutations);
      const actual = gathered(endpoint, text, of);
      const expected = gathered(endpoint, goodText, of);
      expect(actual.rows).toEqual(expected.rows);
      expect(expected.rejected).toEqual([]);
      expect(actual.rejected).toHaveLength(bad);
      for (const { reason } of actual.rejected) expect(reason).toMatch(/^.*expected .+, got ./s);
      counts[bad > 0 ? 'bad' : 'good'] += 1;
    }),
    { numRuns: flattened.count, seed: flattened.seed },
  );
  console.log(
    `${flattened.count} damaged payloads: ${counts.bad} with rejected parts, ${counts.good} without (seed ${flattened.seed})`,
  );
});

describe('in a database', () => {
  let loading: SliceLoading;
  beforeAll(async () => {
    loading = await startSliceLoading();
    await withSession(loading.pool, ({ db }) => ensureDates(db, '2026-01-01', '2026-12-31'));
  });
  afterAll(() => loading.close());

  /** Loads an answer; resolves to how much of it was rejected. A slice fails when every record is. */
  async function rejectedOf(endpoint: string, text: string, asked: Day): Promise<number> {
    try {
      return (await loading.loadText(endpoint, text, { day: asked, changes: { maxRejectedShare: 1 } }))
        .rejected;
    } catch (error) {
      if (!(error instanceof TooManyRejectedError)) throw error;
      const { records } = await receiptOf(text, endpoint, asked);
      expect(error.rejected.kept.filter(({ path }) => path === '')).toHaveLength(records);
      return error.rejected.count;
    }
  }

  test(`${stored.count} damaged payloads leave what is good, and all of the rest in the quarantine`, {
    timeout: stored.timeoutMs,
  }, async ({ onTestFailed }) => {
    onTestFailed(stored.tellHowToRepeat);
    const counts = { stored: 0, quarantined: 0 };
    const together = Math.min(slices.length, stored.count);
    const batches = fc.array(someMutations, { minLength: together, maxLength: together, size: 'max' });
    const property = fc.asyncProperty(batches, async (batch) => {
      await loading.clear();
      let quarantined = 0;
      const payloads = [];
      for (const [index, mutations] of batch.entries()) {
        const { endpoint, day: asked } = slices[index] ?? { endpoint: 'tokens', day: of };
        const { text, bad, goodText } = damage(endpoint, asked, mutations);
        expect(await rejectedOf(endpoint, text, asked), `${endpoint} ${asked}`).toBe(bad);
        const rows: unknown = JSON.parse(goodText, (_key, value: unknown, { source }) =>
          typeof value === 'number' && source !== undefined ? writtenAs(source) : value,
        );
        payloads.push({ endpoint, day: asked, rows: Array.isArray(rows) ? rows : [] });
        quarantined += bad;
      }
      const [quarantine] = await loading.query(
        'select count(*)::integer as rows, count(reason)::integer as reasons from etl.rejected_row',
      );
      expect(quarantine).toEqual({ rows: quarantined, reasons: quarantined });
      expect(await storedWarehouse(loading.pool)).toEqual(expectedWarehouse('org_test', payloads));
      counts.quarantined += quarantined;
      counts.stored += batch.length;
    });
    const numRuns = Math.ceil(stored.count / together);
    await fc.assert(property, { numRuns, seed: stored.seed, endOnFailure: true });
    console.log(
      `${counts.stored} damaged payloads stored, ${counts.quarantined} parts in quarantine (seed ${stored.seed})`,
    );
  });
});
