import { describe, expect, it } from 'vitest';
import type { RequestOptions } from '../../../src/extract/api-request.ts';
import { addDays, earliestDay } from '../../../src/model/day.ts';
import { type Read, readOf } from '../../../src/model/source.ts';
import { type LaneOptions, workThrough } from '../../../src/pipeline/receive/lanes.ts';
import { sourceOf } from '../../support/samples.ts';

/** As many reads of an endpoint, of `length` days each. */
function readsOf(name: string, count: number, length = 1): Read[] {
  return Array.from({ length: count }, (_, read) =>
    Array.from({ length }, (_, index) => addDays(earliestDay, read * length + index)),
  ).flatMap((days) => readOf(sourceOf(name), days) ?? []);
}

function work(reads: readonly Read[], options: Partial<LaneOptions>): Promise<void> {
  return workThrough(reads, {
    pageLanes: 3,
    windowDays: () => 7,
    process: async () => true,
    signal: new AbortController().signal,
    ...options,
  });
}

describe('the lanes', () => {
  it('go on with all other sources while one hangs', async () => {
    const hanging = Promise.withResolvers<boolean>();
    const done = new Map<string, number>();
    const others = Promise.withResolvers<void>();
    const working = work([...readsOf('users', 6), ...readsOf('tools', 5), ...readsOf('activity', 4)], {
      async process({ source }) {
        if (source.name === 'tools') return hanging.promise;
        done.set(source.name, (done.get(source.name) ?? 0) + 1);
        if (done.get('users') === 6 && done.get('activity') === 4) others.resolve();
        return true;
      },
    });
    await others.promise;
    expect(done).toEqual(
      new Map([
        ['users', 6],
        ['activity', 4],
      ]),
    );
    hanging.resolve(true);
    await working;
  });

  it('read one window of a source at a time, and several days of one that comes in pages', async () => {
    const underWay = new Map<string, number>();
    const most = new Map<string, number>();
    await work([...readsOf('users', 12), ...readsOf('tools', 6)], {
      async process({ source: { name } }) {
        const now = (underWay.get(name) ?? 0) + 1;
        underWay.set(name, now);
        most.set(name, Math.max(most.get(name) ?? 0, now));
        await new Promise(setImmediate);
        underWay.set(name, now - 1 < 0 ? 0 : (underWay.get(name) ?? 1) - 1);
        return true;
      },
    });
    expect(most).toEqual(
      new Map([
        ['users', 3],
        ['tools', 1],
      ]),
    );
  });

  it('retry less with a source after three reads without an answer, and as before after the next', async () => {
    const answers = [false, false, false, false, true, true];
    const seen: RequestOptions[] = [];
    await work(readsOf('tools', 6), {
      async process(_, given) {
        seen.push(given);
        return answers[seen.length - 1] ?? true;
      },
    });
    expect(seen).toEqual([{}, {}, {}, { maxRetries: 0 }, { maxRetries: 0 }, {}]);
  });

  it('retry one source as before while another fails', async () => {
    const impatient = new Set<string>();
    await work([...readsOf('tools', 8), ...readsOf('activity', 8)], {
      async process({ source }, { maxRetries }) {
        if (maxRetries === 0) impatient.add(source.name);
        return source.name !== 'tools';
      },
    });
    expect(impatient).toEqual(new Set(['tools']));
  });

  it('split what is larger than the source is known to accept, also when that is learned on the way', async () => {
    const sizes: number[] = [];
    let accepted = 7;
    await work(readsOf('tools', 3, 7), {
      windowDays: () => accepted,
      async process({ slices }) {
        sizes.push(slices.length);
        accepted = 2;
        return true;
      },
    });
    expect(sizes).toEqual([7, 2, 2, 2, 1, 2, 2, 2, 1]);
  });

  it('end with the first thing that must stop the run, after all lanes have ended', async () => {
    const abort = new AbortController();
    let processed = 0;
    const working = work([...readsOf('users', 50), ...readsOf('tools', 50)], {
      signal: abort.signal,
      async process({ source }) {
        processed += 1;
        if (source.name !== 'tools') return true;
        abort.abort(new Error('refused'));
        throw new Error('refused');
      },
    });
    await expect(working).rejects.toThrow('refused');
    expect(processed).toBeLessThan(10);
  });
});
