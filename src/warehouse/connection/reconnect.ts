/** Work that may be repeated when the database went away in the middle. */
import { setTimeout as delay } from 'node:timers/promises';
import { gaveWay, isConnectionLoss } from './connection.ts';

/** Waits before each repetition, in milliseconds: together longer than a restart of the server takes. */
const waitsMs = [200, 500, 1_000, 2_000, 4_000, 4_000];

/**
 * Runs `work`, again when the connection was lost or the transaction had to give way to another. Only for work that is one transaction and may have been
 * committed without our knowing: doing it twice must end in the same state.
 */
export async function retryOnConnectionLoss<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  for (const waitMs of waitsMs) {
    try {
      return await work();
    } catch (error) {
      if (!(isConnectionLoss(error) || gaveWay(error)) || signal.aborted) throw error;
      await delay(waitMs, undefined, { signal });
    }
  }
  return work();
}
