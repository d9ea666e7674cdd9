import { expect, it } from 'vitest';
import { oneAhead } from '../../../src/pipeline/load/one-ahead.ts';

/** Numbers from 1 on, up to `last`; notes what is made, and that nothing more will be. */
async function* counted(last: number, notes: string[]): AsyncGenerator<number> {
  try {
    for (let number = 1; number <= last; number++) {
      notes.push(`made ${number}`);
      yield number;
    }
    notes.push('no more');
  } finally {
    notes.push('closed');
  }
}

it('while an item is used, the next one is made, and no further one', async () => {
  const notes: string[] = [];
  for await (const number of oneAhead(counted(3, notes))) notes.push(`used ${number}`);
  expect(notes.filter((note) => note.startsWith('used'))).toEqual(['used 1', 'used 2', 'used 3']);
  expect(notes.indexOf('made 2')).toBeLessThan(notes.indexOf('used 1'));
  expect(notes.indexOf('made 3')).toBeGreaterThan(notes.indexOf('used 1'));
  expect(notes.at(-1)).toBe('used 3');
});

it('what making an item throws is thrown when its turn comes', async () => {
  async function* failing(): AsyncGenerator<string> {
    yield 'good';
    throw new Error('no second one');
  }
  const used: string[] = [];
  const using = async () => {
    for await (const item of oneAhead(failing())) used.push(item);
  };
  await expect(using()).rejects.toThrow('no second one');
  expect(used).toEqual(['good']);
});

it('whoever stops using items closes where they come from, after the one under way', async () => {
  const notes: string[] = [];
  const using = async () => {
    for await (const number of oneAhead(counted(9, notes))) throw new Error(`cannot use ${number}`);
  };
  await expect(using()).rejects.toThrow('cannot use 1');
  expect(notes).toEqual(['made 1', 'made 2', 'closed']);
});
