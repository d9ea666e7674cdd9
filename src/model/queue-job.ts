/** Jobs of the queue: their payloads, which anybody with access to the database may have written. */
import { z } from 'zod';
import { addMonths, type Day, type DayRange, day, daysBetween, earliestDay, isDay } from './day.ts';
import { namePattern } from './organizations/organization-entry.ts';

/** The tasks of the queue. */
export const queueTasks = ['nightly', 'backfill'] as const;

export type QueueTask = (typeof queueTasks)[number];

/** What becomes of a job, as metrics count it. `again`: it is due again; `returned`: it was not worked on. */
export const jobOutcomes = ['done', 'failed', 'again', 'returned'] as const;

export type JobOutcome = (typeof jobOutcomes)[number];

const organization = z.string().regex(namePattern);
const aDay = z.string().refine(isDay).transform(day);
/** When a worker first took the job without finding its organization in the file, in ms since 1970. */
const missing_since = z.number().optional();
const endpoints = z.array(z.string().max(63)).min(1).max(63).optional();

const nightlyPayload = z.object({ organization, day: aDay, missing_since });

const backfillPayload = z.object({
  organization,
  from: aDay,
  to: aDay,
  /** Undefined: all. */
  endpoints,
  force: z.boolean().default(false),
  /** The first day of the whole order: gaps since then are wanted. */
  asks_from: aDay.optional(),
  /** Whether sources without history are read, too. */
  newest: z.boolean().default(true),
  /** Runs of this job that failed. */
  failures: z.number().int().min(0).max(1_000_000).default(0),
  missing_since,
});

export type NightlyPayload = z.infer<typeof nightlyPayload>;
export type BackfillPayload = z.infer<typeof backfillPayload>;

/** A job whose payload could be read. */
export type QueueJob =
  | { readonly task: 'nightly'; readonly payload: NightlyPayload }
  | { readonly task: 'backfill'; readonly payload: BackfillPayload };

/** Reads a payload, for a platform that serves days until `last`. Returns a sentence without any value if it cannot be used. */
export function readQueueJob(task: QueueTask, payload: unknown, last: Day): QueueJob | string {
  const read =
    task === 'nightly'
      ? { task, ...nightlyPayload.safeParse(payload) }
      : { task, ...backfillPayload.safeParse(payload) };
  if (!read.success) {
    const fields = [...new Set(read.error.issues.map(({ path: [field] }) => String(field ?? 'all of it')))];
    return `the payload is none of this program: wrong or missing: ${fields.join(', ')}; delete the job, and order it with enqueue`;
  }
  const { from, to } = read.task === 'nightly' ? { from: read.data.day, to: read.data.day } : read.data;
  if (from < earliestDay || to > last || from > to)
    return `the payload names days that cannot be read: expected days from ${earliestDay} to ${last}, the first one first; order the job with enqueue`;
  if (read.task === 'nightly') return { task: 'nightly', payload: read.data };
  return { task: 'backfill', payload: read.data };
}

/** The parts of a range by calendar month, the newest first. */
export function monthsOf({ from, to }: DayRange): DayRange[] {
  const parts: DayRange[] = [];
  for (let first = day(`${from.slice(0, 7)}-01`); first <= to; first = addMonths(first, 1)) {
    const last = day(lastOfMonth(first));
    parts.unshift({ from: first < from ? from : first, to: last > to ? to : last });
  }
  return parts;
}

function lastOfMonth(first: Day): string {
  const days = daysBetween(first, addMonths(first, 1));
  return `${first.slice(0, 8)}${String(days).padStart(2, '0')}`;
}
