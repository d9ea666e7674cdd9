import { expect, it } from 'vitest';
import { sampleRow } from '../../support/samples.ts';
import { sharedSliceLoading } from '../../support/slice-loading.ts';

const loading = await sharedSliceLoading();

/**
 * Of a day that came after the last `analyze` the planner believes that it has one row. With a nested loop, 6,000 users
 * restated took 9 s instead of half a second, and ten times as many a hundred times as long.
 */
it('compares what is staged with what is held without nested loops, whatever the planner believes of the day', async () => {
  await loading.query(`create table public.planned (operation text, nested_loops text)`);
  await loading.query(`
    create function public.note_plan() returns trigger language plpgsql as $$
    begin
      insert into public.planned values (lower(tg_op), current_setting('enable_nestloop'));
      return null;
    end $$`);
  await loading.query(`
    create trigger note_plan before insert or update or delete on warehouse.bridge_user_language_daily
    for each statement execute function public.note_plan()`);
  const row = (...languages: string[]) => sampleRow('users', { languages });
  await loading.load('users', [await row('Go', 'SQL')]);
  await loading.query('truncate public.planned');
  await loading.load('users', [await row('Go', 'Rust')]);
  expect(await loading.query('select operation, nested_loops from public.planned order by 1')).toEqual([
    { operation: 'delete', nested_loops: 'off' },
    { operation: 'insert', nested_loops: 'off' },
  ]);
});
