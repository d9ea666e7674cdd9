/** What cannot be asked for again: snapshots of days that are over, and what is only archived. */
import { describe, expect, test } from 'vitest';
import { day } from '../../src/model/day.ts';
import { expectNothingOrphaned, factRows } from '../support/ledger-rows.ts';
import { message, runDay, session, setUpMadeUpSources, sibling } from '../support/made-up-installation.ts';
import { computers, coverage, type MadeUpRun, messages, reviews } from '../support/made-up-platform.ts';

const installation = setUpMadeUpSources();

const [second, third] = [day('2026-03-11'), day('2026-03-12')];
const later = '2026-03-10-c';

describe('a snapshot', () => {
  test('that was not taken is a gap that cannot be filled, and no reason to be incomplete', async () => {
    const { load, platform, run } = installation();
    await load();
    platform.fault = (path) => (path.includes('computers') ? 500 : undefined);
    await load({ on: second });
    const of = async (on: MadeUpRun['on']) =>
      (await coverage({ ...run, on })).find(({ endpoint }) => endpoint === computers.name);
    expect(await of(second)).toMatchObject({ failed: [second], gaps: [], gaps_can_be_filled: false });
    expect(await of(third)).toMatchObject({
      failed: [],
      gaps: [second],
      first_day: runDay,
      last_day: runDay,
    });
    const [, list, children] = await coverage({ ...run, on: third });
    expect(list).toMatchObject({ endpoint: reviews.name, gaps: [], failed: [], first_day: null });
    expect(children).toMatchObject({
      endpoint: messages.name,
      gaps: [],
      failed: [],
      first_day: '2026-03-09',
    });
  });
});

describe('replay', () => {
  test('finds everything as it is, and brings everything back', async () => {
    const { content, database, emptyFacts, load, platform, replay } = installation();
    platform.messages.set(later, [message('m9')]);
    await load();
    const stored = await factRows(database.pool);
    expect((await replay()).summary).toMatchObject({
      slices: { planned: 5, unchanged: 5 },
      rows: { updated: 0 },
    });
    expect(await factRows(database.pool)).toEqual(stored);
    const before = await content();
    await emptyFacts();
    expect((await replay()).summary).toMatchObject({ slices: { planned: 5, failed: 0 } });
    expect(await content()).toEqual(before);
    await expectNothingOrphaned(database.pool);
  });

  test('of days takes all slices that speak of them, and none that speaks of no day', async () => {
    const { emptyFacts, load, platform, replay, rows } = installation();
    platform.messages.set(later, [message('m9')]);
    await load();
    await emptyFacts();
    expect((await replay({ from: day('2026-03-09'), to: day('2026-03-09') })).summary.slices.planned).toBe(2);
    expect(await rows('select distinct session_id from warehouse.fact_test_message order by 1')).toEqual([
      [session],
      [sibling],
    ]);
    expect(await rows('select from warehouse.fact_review')).toEqual([]);
  });
});
