/** An organization's `/users` answers in memory, as the client of the platform hands them on. */
import { hash } from 'node:crypto';
import type { Page } from '../src/extract/envelope.ts';
import { type Day, type DayRange, daysOf } from '../src/model/day.ts';
import { createGenerator } from '../src/simulator/generate.ts';

/** All pages of each day. */
export interface InMemoryOrganization {
  readonly pages: ReadonlyMap<Day, readonly Page[]>;
  readonly userDays: number;
}

const pageSize = 100;

/** Generates the organization; about 1.5 kB of memory for each user-day. */
export function generateInMemory(users: number, days: DayRange): InMemoryOrganization {
  const generator = createGenerator({ seed: 1, users, from: days.from });
  let userDays = 0;
  const pages = new Map(
    daysOf(days).map((day) => {
      const rows = Array.from(generator.usersAfter(day));
      userDays += rows.length;
      const ofDay: Page[] = [];
      for (let start = 0; start < rows.length; start += pageSize) {
        const isLast = start + pageSize >= rows.length;
        ofDay.push(pageOf(generator.organizationId, day, rows.slice(start, start + pageSize), isLast));
      }
      return [day, ofDay] as const;
    }),
  );
  return { pages, userDays };
}

function pageOf(
  organizationId: string,
  day: Day,
  data: readonly { readonly user_id: string }[],
  isLast: boolean,
): Page {
  const nextCursor = isLast ? undefined : data.at(-1)?.user_id;
  const meta = {
    org_id: organizationId,
    start_date: day,
    end_date: day,
    has_more: !isLast,
    next_cursor: nextCursor,
  };
  const text = JSON.stringify({ data, meta });
  return {
    organizationId,
    rows: JSON.parse(text).data,
    nextCursor,
    bytes: Buffer.from(text),
    digest: hash('sha256', text),
    mayHoldUnstorableCharacters: false,
  };
}
