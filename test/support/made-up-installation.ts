/** A platform with some records of three made-up sources, and an empty warehouse with tables for them. */
import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach } from 'vitest';
import { day } from '../../src/model/day.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { factRows } from './ledger-rows.ts';
import {
  load,
  type MadeUpPlatform,
  type MadeUpRun,
  replayAll,
  startMadeUpPlatform,
} from './made-up-platform.ts';
import { madeUpTables } from './made-up-sources.ts';

/** The day on which jobs run, unless a test chooses another one. */
export const runDay = day('2026-03-10');
/** Two sessions of one day: the first has four messages, the second has one. */
export const [session, sibling] = ['2026-03-09-a', '2026-03-09-b'];

export const idOf = (number: number) => `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`;
export const review = (number: number, ...paths: string[]) => ({
  reviewId: idOf(number),
  title: `a "title", ${number}`,
  isDraft: number % 2 === 0,
  openedAt: 1_773_000_000 + number,
  comments: number,
  files: paths.map((path) => ({ path, comments: 1 })),
});
export const computer = (id: string, name: string | null = id) => ({
  id,
  name,
  createdAt: 1_773_000_000,
  source: null,
});
export const message = (id: string, changes: Readonly<Record<string, unknown>> = {}) => ({
  id,
  role: 'user',
  note: 'tab\there, \\ and null',
  thread: idOf(7),
  model: null,
  createdAt: 1_773_000_000_123,
  isError: false,
  content: [{ type: 'text', text: `of ${id}`, tags: ['x', 'y'] }],
  commands: [
    { command: 'ls', timeout: 1.5 },
    { command: 'cd', timeout: null },
  ],
  results: [{ exitCode: 0, isQuiet: true }],
  ...changes,
});

/** The installation of a test; each test gets a new one. */
export interface MadeUpInstallation {
  readonly database: TestDatabase;
  readonly platform: MadeUpPlatform;
  /** What a job needs to run here. */
  readonly run: MadeUpRun;
  load(changes?: Partial<MadeUpRun>): ReturnType<typeof load>;
  replay(range?: Parameters<typeof replayAll>[1]): ReturnType<typeof replayAll>;
  /** The rows of a query, each a list of its values. */
  rows(text: string): Promise<readonly unknown[][]>;
  /** Every row of every fact, without the time at which it was written. */
  content(): Promise<Readonly<Record<string, readonly string[]>>>;
  /** Removes all rows of these sources from their facts. */
  emptyFacts(): Promise<void>;
}

/** Prepares an installation before each test of a file; returns a function that returns that of the running test. */
export function setUpMadeUpSources(): () => MadeUpInstallation {
  let installed: MadeUpInstallation | undefined;
  beforeEach(async () => {
    installed = await install();
  });
  afterEach(async () => {
    await installed?.platform.close();
    await installed?.database.drop();
  });
  return () => {
    if (installed === undefined) throw new TypeError('expected to be called by a test');
    return installed;
  };
}

async function install(): Promise<MadeUpInstallation> {
  const database = await createTestDatabase();
  const reviewTables = new URL('../fixtures/made-up/reviews/create_reviews.sql', import.meta.url);
  await database.pool.query(`${madeUpTables}; ${await readFile(reviewTables, 'utf8')}`);
  const platform = await startMadeUpPlatform();
  platform.computers = [computer('c1'), computer('c2')];
  platform.reviews = [1, 2, 3, 4].map((number) => review(number, 'a.ts', 'b.ts'));
  platform.messages.set(
    session,
    ['m1', 'm2', 'm3', 'm4'].map((id) => message(id)),
  );
  platform.messages.set(sibling, [message('m1', { role: 'assistant' })]);
  const run = { platform, databaseUrl: database.url, on: runDay };
  return {
    database,
    platform,
    run,
    load: (changes) => load({ ...run, ...changes }),
    replay: (range) => replayAll(run, range),
    async rows(text) {
      const result = await database.pool.query<unknown[]>({ text, rowMode: 'array' });
      return result.rows;
    },
    async content() {
      const found = await factRows(database.pool);
      return Object.fromEntries(
        Object.entries(found).map(([table, stored]) => [
          table,
          stored.map(({ loaded_at, row_id, ...row }) => JSON.stringify(row)).sort(),
        ]),
      );
    },
    async emptyFacts() {
      for (const table of madeUpFacts) await database.pool.query(`delete from warehouse.${table}`);
    },
  };
}

const madeUpFacts = [
  'fact_test_computer',
  'fact_review',
  'fact_review_file',
  'fact_test_message',
  'fact_test_block',
  'bridge_test_tag',
  'fact_test_result',
];
