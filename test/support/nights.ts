/** Nights for tests: a schedule that does not come due during a test, and a receiver for messages. */
import { text } from 'node:stream/consumers';
import { addDays, type Day, yesterday } from '../../src/model/day.ts';
import { dueTimesOf } from '../../src/pipeline/nights/due-times.ts';
import type { Dataset } from '../../src/simulator/dataset.ts';
import { startAnsweringServer } from './answering-server.ts';

/** A schedule that was due half a day ago and is due again in half a day, with the night that it was last due for. */
export function farSchedule(): { readonly CRON_SCHEDULE: string; readonly night: Day } {
  const now = Date.now();
  const schedule = `0 ${(new Date(now).getUTCHours() + 12) % 24} * * *`;
  const lastMs = dueTimesOf(schedule)?.last(now);
  if (lastMs === undefined) throw new TypeError('expected a schedule');
  return { CRON_SCHEDULE: schedule, night: yesterday(() => lastMs) };
}

/** A dataset that has on Saturdays and Sundays the rows of two days before: tests run on any day, and nights need rows. */
export function withBusyWeekends(dataset: Dataset): Dataset {
  const sourceOf = (day: Day) =>
    [0, 6].includes(new Date(`${day}T00:00:00Z`).getUTCDay()) ? addDays(day, -2) : day;
  const onDay = (day: Day, rows: Iterable<unknown>): unknown[] =>
    JSON.parse(JSON.stringify([...rows]).replaceAll(sourceOf(day), day));
  return {
    version: dataset.version,
    rows: (endpoint, day) => onDay(day, dataset.rows(endpoint, sourceOf(day))),
    groupedRows: (endpoint, day) => onDay(day, dataset.groupedRows(endpoint, sourceOf(day))),
    usersAfter: (day, cursor) => onDay(day, dataset.usersAfter(sourceOf(day), cursor)),
  };
}

/** A message as it arrived. */
export interface ArrivedMessage {
  readonly method: string;
  readonly path: string;
  /** The parsed body; undefined for a request without one. */
  readonly body: unknown;
}

/** Receives messages, as a chat or an alarm service would. */
export interface MessageReceiver {
  /** The address of a path of the receiver. */
  at(path: string): string;
  readonly messages: readonly ArrivedMessage[];
  /** The status of its answers from now on; with `hang` it does not answer. */
  answers: number | 'hang';
  /** Resolves when so many requests have arrived. */
  received(count: number): Promise<void>;
  close(): Promise<void>;
}

/** Starts a receiver that answers 200. */
export async function startMessageReceiver(): Promise<MessageReceiver> {
  const messages: ArrivedMessage[] = [];
  const waiting = new Set<() => void>();
  const server = await startAnsweringServer(async (response, _, request) => {
    const body = await text(request);
    const { method = '', url: path = '' } = request;
    messages.push({ method, path, body: body === '' ? undefined : JSON.parse(body) });
    for (const look of waiting) look();
    if (receiver.answers !== 'hang') response.writeHead(receiver.answers).end();
  });
  const receiver: MessageReceiver = {
    at: (path) => new URL(path, server.url).href,
    messages,
    answers: 200,
    received: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (messages.length < count) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    close: () => server.close(),
  };
  return receiver;
}
