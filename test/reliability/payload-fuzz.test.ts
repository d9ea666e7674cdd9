import fc from 'fast-check';
import { expect, test } from 'vitest';
import { day } from '../../src/model/day.ts';
import { parseJson } from '../../src/model/json.ts';
import { gatherSlice } from '../../src/pipeline/gathered-slice.ts';
import { generatedDataset } from '../../src/simulator/dataset.ts';
import { createGenerator } from '../../src/simulator/generate.ts';
import { exactJson, WrittenNumber, writtenAs } from '../support/exact-json.ts';
import { endpoints } from '../support/installation.ts';
import { sourceOf } from '../support/samples.ts';
import { judge, shapes } from './payload-judge.ts';
import { mutated, mutation } from './payload-mutations.ts';

const of = day('2026-01-20');
const dataset = generatedDataset(createGenerator({ seed: 3, users: 6, from: day('2026-01-14') }));
const cases = 6_000;

/** What the program makes of rows that came as one JSON text. */
function gathered(endpoint: string, text: string) {
  const { value, mayHoldUnstorableCharacters } = parseJson(text);
  const slice = gatherSlice(sourceOf(endpoint), of, { appVersion: 'test', keepRaw: false });
  slice.addArchived({ rows: Array.isArray(value) ? value : [], mayHoldUnstorableCharacters });
  const { content } = slice;
  const { rows } = content.takeBatch();
  return { rows, rejected: content.rejected, drift: content.drift, hash: content.contentHash() };
}

/** Numbers again in the digits they had. */
function writeNumbers(_key: string, value: unknown): unknown {
  return value instanceof WrittenNumber ? writtenAs(value.text) : value;
}

test('of thousands of damaged payloads what is good is loaded, and all of the rest is rejected', () => {
  const counts = { bad: 0, good: 0 };
  fc.assert(
    fc.property(
      fc.constantFrom(...endpoints),
      fc.array(mutation, { minLength: 1, maxLength: 3 }),
      (endpoint, mutations) => {
        const rows = [...dataset.rows(endpoint, of)];
        const damaged = mutations.reduce((row, each) => mutated(row, each), rows[0]);
        const text = JSON.stringify([damaged, ...rows.slice(1)]);
        const shape = shapes[endpoint];
        if (shape === undefined) throw new RangeError(endpoint);
        const { good, bad } = judge(exactJson(damaged), shape);
        const isOfDay = good?.date === of;
        const expectedBad = isOfDay ? bad : 1;
        const remaining = isOfDay ? [good, ...rows.slice(1)] : rows.slice(1);

        const actual = gathered(endpoint, text);
        const expected = gathered(endpoint, JSON.stringify(remaining, writeNumbers));
        expect(actual.rows).toEqual(expected.rows);
        expect(expected.rejected).toEqual([]);
        expect(actual.rejected).toHaveLength(expectedBad);
        for (const { reason } of actual.rejected) expect(reason).toMatch(/^.{10,}/s);
        counts[expectedBad > 0 ? 'bad' : 'good'] += 1;
      },
    ),
    { numRuns: cases, seed: 20260114 },
  );
  console.log(`${cases} damaged payloads: ${counts.bad} with rejected parts, ${counts.good} without`);
});
