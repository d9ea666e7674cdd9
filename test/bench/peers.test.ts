/** The comparison with other programs: what is wrong counts for nothing, and the document shows what was measured. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import {
  type DayTotals,
  firstDifference,
  totalsInDatabase,
  totalsOfPlatform,
} from '../../bench/peers/check.ts';
import { contestants, fileOf, versionsOf } from '../../bench/peers/contestants.ts';
import { comparisonTable, peerResults } from '../../bench/peers/results.ts';
import { day } from '../../src/model/day.ts';
import { withTable } from '../../tools/document-table.ts';
import { install } from '../support/installation.ts';

const textOf = (path: string) => readFile(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');

const monday: DayTotals = { day: '2026-01-19', rows: 2, sessions: '9', credits: '1250340.75' };
const tuesday: DayTotals = { day: '2026-01-20', rows: 1, sessions: '3', credits: '0.1' };

test('the same rows and sums are the same, however their decimals are written', () => {
  const found = [tuesday, { ...monday, sessions: '9.0', credits: '1250340.750000000' }];
  expect(firstDifference([monday, tuesday], found)).toBeUndefined();
});

test.each([
  ['a row too few', [{ ...monday, rows: 1 }, tuesday]],
  ['a session too many', [{ ...monday, sessions: '10' }, tuesday]],
  ['a hundredth of a credit too little', [{ ...monday, credits: '1250340.74' }, tuesday]],
  ['a missing day', [tuesday]],
  ['a day that nobody serves', [monday, tuesday, { ...tuesday, day: '2026-01-21' }]],
  ['nothing at all', []],
])('%s is a difference', (_, found) => {
  expect(firstDifference([monday, tuesday], found)).toMatch(/^2026-01-\d\d: expected .*, found /);
});

test('what this program loads is what the check finds, until a figure is altered', async () => {
  await using installed = await install({ users: 150 });
  const days = { from: day('2026-01-19'), to: day('2026-01-20') };
  await installed.load(`backfill --from ${days.from} --to ${days.to} --endpoints users`);
  const { API_BASE_URL: url = '', API_KEY: apiKey = '' } = installed.environment;
  const expected = await totalsOfPlatform({ url, apiKey }, days);
  expect(expected.map(({ rows }) => rows)).toEqual([expect.any(Number), expect.any(Number)]);
  const [usageEtl] = contestants;
  if (usageEtl === undefined) throw new Error('expected contestants');
  const { pool } = installed.database;
  const query = async (text: string) => (await pool.query<Record<string, unknown>>(text)).rows;
  const found = () => totalsInDatabase({ query }, usageEtl);
  expect(firstDifference(expected, await found())).toBeUndefined();
  await pool.query(
    'update warehouse.fact_user_daily set billable_tokens = billable_tokens + 0.01 where usage_date = $1',
    [days.to],
  );
  expect(firstDifference(expected, await found())).toContain(days.to);
});

test('every program of others is pinned to a version, and its files are there', async () => {
  for (const contestant of contestants) {
    const { peer } = contestant;
    if (peer === undefined) continue;
    expect(await versionsOf(contestant)).toMatch(/^[\w-]+ [\d.]+(, [\w-]+ [\d.]+)*$/);
    for (const word of peer.command('/environment')) if (word.startsWith(fileOf('.'))) await readFile(word);
  }
});

test('docs/comparison.md shows what bench/results/peers.json holds, of the versions that are pinned', async () => {
  const results = peerResults.parse(JSON.parse(await textOf('bench/results/peers.json')));
  const document = await textOf('docs/comparison.md');
  expect(withTable(document, 'npm run bench:peers', comparisonTable(results))).toBe(document);
  const measured = results.programs.map(({ program, settings, versions }) => ({
    program,
    settings,
    versions,
  }));
  const wanted = contestants.map(async (contestant) => ({
    program: contestant.program,
    settings: contestant.settings,
    versions: await versionsOf(contestant),
  }));
  expect(measured).toEqual(await Promise.all(wanted));
});
