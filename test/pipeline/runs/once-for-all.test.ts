import { expect, test } from 'vitest';
import { OnceForAll } from '../../../src/pipeline/runs/once-for-all.ts';

/** What the database would hold, and a run that works on it. */
function runs() {
  const stored = { names: 1 };
  const searches: string[] = [];
  const search = new OnceForAll();
  const run = (name: string, found: number, error?: Error) => {
    let known = 0;
    return search.do({
      async renew() {
        known = stored.names;
      },
      known: () => known,
      async work() {
        searches.push(name);
        if (error !== undefined) throw error;
        stored.names += found;
        known = stored.names;
      },
    });
  };
  return { stored, searches, run };
}

test('of several runs that know the same, one searches; the others take over what it found', async () => {
  const { searches, run } = runs();
  await Promise.all([run('a', 2), run('b', 0), run('c', 0)]);
  expect(searches).toEqual(['a']);
});

test('a run searches again if more is known since, or if the search of another failed', async () => {
  const { stored, searches, run } = runs();
  const [first, second] = await Promise.allSettled([run('a', 0, new Error('lost')), run('b', 0)]);
  expect([first.status, second.status]).toEqual(['rejected', 'fulfilled']);
  stored.names += 1;
  await run('c', 0);
  await run('d', 0);
  expect(searches).toEqual(['a', 'b', 'c']);
});
