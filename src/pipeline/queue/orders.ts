/** The jobs of an order: their keys, payloads and priorities. Pure functions. */
import type { Day, DayRange } from '../../model/day.ts';
import { type BackfillPayload, monthsOf, type NightlyPayload } from '../../model/queue-job.ts';
import type { Source } from '../../model/source.ts';
import type { JobToAdd } from '../../warehouse/queue/add-jobs.ts';

/** Nights go first. */
const priorityOfNight = 0;
/** Above all months since year 0. Priorities are at most 32,767. */
const monthsUntilNever = 32_000;

/** The key of the job for a night of an organization. */
export function nightlyKey(name: string, night: Day): string {
  return `nightly ${name} ${night}`;
}

/** One job per organization for a night. */
export function nightlyJobs(names: readonly string[], night: Day): JobToAdd[] {
  return names.map((name) => ({
    task: 'nightly',
    key: nightlyKey(name, night),
    queue: name,
    priority: priorityOfNight,
    payload: { organization: name, day: night } satisfies NightlyPayload,
  }));
}

/** An order of `enqueue backfill`. */
export interface BackfillOrder {
  readonly range: DayRange;
  /** The sources that the order names; undefined: all. */
  readonly named: readonly Source[] | undefined;
  readonly force: boolean;
}

/**
 * One job per organization and calendar month, newer months first. Only the job of the newest month reads sources without
 * history: they give what is there now, whatever the month.
 */
export function backfillJobs(names: readonly string[], { range, named, force }: BackfillOrder): JobToAdd[] {
  const endpoints = named?.map(({ name }) => name);
  const hasDays = named === undefined || named.some(({ partitioning }) => partitioning.kind === 'day');
  return monthsOf(range).flatMap(({ from, to }, index) => {
    const newest = index === 0;
    if (!newest && !hasDays) return [];
    return names.map((name) => ({
      task: 'backfill',
      key: `backfill ${name} ${from.slice(0, 7)} ${endpoints?.join(',') ?? 'all'}`,
      queue: name,
      priority: priorityOfMonth(from),
      payload: {
        organization: name,
        from,
        to,
        ...(endpoints && { endpoints }),
        force,
        asks_from: range.from,
        newest,
        failures: 0,
      } satisfies BackfillPayload,
    }));
  });
}

function priorityOfMonth(day: Day): number {
  return monthsUntilNever - (Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)));
}
